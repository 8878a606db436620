//! Strings that come with every kernel or communication, interned once a step.

use npuscope_tables::{Interner, Str};

use crate::kernels::{KernelSpec, Pass};

/// The strings of the kernels and communications seen in this step, by their numbers.
#[derive(Default)]
pub struct Names {
    kernels: Vec<Option<KernelNames>>,
    words: Option<Words>,
}

/// Strings of one kernel and its launch.
#[derive(Clone, Copy, Default)]
pub struct KernelNames {
    /// Calls around the operator, outermost first.
    pub outer: [Option<Str>; 2],
    pub op: Str,
    pub shapes: Str,
    pub dtypes: Str,
    pub stack: Str,
    pub enqueue: Str,
    pub dequeue: Str,
    pub api: Str,
    pub workspace_api: Str,
    pub kernel: Str,
    pub op_type: Str,
    pub core: Str,
    pub input_shapes: Str,
    pub input_dtypes: Str,
    pub input_formats: Str,
    pub output_shapes: Str,
    pub output_dtype: Str,
}

/// Strings that everything needs.
#[derive(Clone, Copy)]
pub struct Words {
    pub op: Str,
    pub enqueue: Str,
    pub dequeue: Str,
    pub cann: Str,
    pub acl: Str,
    pub node: Str,
    pub runtime: Str,
    pub acl_nn: Str,
    pub launch: Str,
    pub kernel_launch: Str,
    pub zero: Str,
    pub async_task_queue: Str,
    pub host_to_device: Str,
    pub async_npu: Str,
    pub dynamic: Str,
    pub no: Str,
    pub nd: Str,
    pub l2: Str,
}

impl Names {
    pub fn words(&mut self, strings: &mut Interner) -> Words {
        *self.words.get_or_insert_with(|| Words {
            op: strings.intern("op"),
            enqueue: strings.intern("enqueue"),
            dequeue: strings.intern("dequeue"),
            cann: strings.intern("cann"),
            acl: strings.intern("acl"),
            node: strings.intern("node"),
            runtime: strings.intern("runtime"),
            acl_nn: strings.intern("ACL_NN"),
            launch: strings.intern("launch"),
            kernel_launch: strings.intern("KernelLaunchWithHandle"),
            zero: strings.intern("0"),
            async_task_queue: strings.intern("async_task_queue"),
            host_to_device: strings.intern("HostToDevice"),
            async_npu: strings.intern("async_npu"),
            dynamic: strings.intern("dynamic"),
            no: strings.intern("NO"),
            nd: strings.intern("ND"),
            l2: strings.intern("l2"),
        })
    }

    /// The strings of kernel number `number`.
    pub fn kernel(&mut self, number: usize, spec: &KernelSpec, strings: &mut Interner) -> KernelNames {
        if self.kernels.len() <= number {
            self.kernels.resize(number + 1, None);
        }
        match self.kernels.get(number).copied().flatten() {
            Some(names) => names,
            None => {
                let names = kernel_names(spec, strings);
                if let Some(place) = self.kernels.get_mut(number) {
                    *place = Some(names);
                }
                names
            }
        }
    }
}

fn kernel_names(spec: &KernelSpec, strings: &mut Interner) -> KernelNames {
    let operator = spec.operator;
    let is_backward = spec.pass == Pass::Backward;
    let mut outer = [None; 2];
    if is_backward {
        let node = operator.node;
        outer = [format!("autograd::engine::evaluate_function: {node}"), node.to_owned()]
            .map(|name| Some(strings.intern(&name)));
    } else {
        for (place, name) in outer.iter_mut().zip(operator.outer) {
            *place = Some(strings.intern(name));
        }
    }
    let api = operator.api();
    let inputs = spec.inputs.len();
    let shapes: Vec<String> = spec.inputs.iter().map(|shape| joined(shape)).collect();
    let many = |word: &str, separator: &str| vec![word; inputs].join(separator);
    let line = 40 + operator.op.len();
    let stack = format!(
        "/home/user/megatron/core/transformer/transformer_layer.py({line}): forward;\r\n\
         /home/user/megatron/core/pipeline_parallel/schedules.py(180): forward_step;\r\n\
         /home/user/pretrain_gpt.py(88): main"
    );
    KernelNames {
        outer,
        op: strings.intern(operator.op),
        shapes: strings.intern(&shapes.join(";\r\n")),
        dtypes: strings.intern(&many(spec.dtype.of_tensor(), ";\r\n")),
        stack: strings.intern(&stack),
        enqueue: strings.intern(&format!("Enqueue@{api}")),
        dequeue: strings.intern(&format!("Dequeue@{api}")),
        api: strings.intern(api),
        workspace_api: strings.intern(&format!("{api}GetWorkspaceSize")),
        kernel: strings.intern(operator.kernel),
        op_type: strings.intern(operator.op_type),
        core: strings.intern(operator.core.name()),
        input_shapes: strings.intern(&quoted(&shapes)),
        input_dtypes: strings.intern(&many(spec.dtype.of_kernel(), ";")),
        input_formats: strings.intern(&many("ND", ";")),
        output_shapes: strings.intern(&quoted(&[joined(&spec.output)])),
        output_dtype: strings.intern(spec.dtype.of_kernel()),
    }
}

/// `4096,512`.
pub fn joined(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// `"4096,512;512"`, quotes included, as kernels have it.
pub fn quoted(shapes: &[String]) -> String {
    format!("\"{}\"", shapes.join(";"))
}
