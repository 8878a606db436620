//! Which part of what lies below a path is opened.

use clap::Args;
use npuscope_store::discover::Choice;

#[derive(Clone, Debug, Default, Args)]
pub struct ChoiceArguments {
    /// Job to open, if there are several [default: the largest, the latest of those]
    #[arg(long, value_name = "NAME")]
    pub job: Option<String>,
    /// Windows to open, by number or stage, for example 0,2 or actor_update [default: all]
    #[arg(long = "window", visible_alias = "windows", value_name = "LIST", value_delimiter = ',')]
    pub windows: Vec<String>,
}

impl From<&ChoiceArguments> for Choice {
    fn from(arguments: &ChoiceArguments) -> Choice {
        Choice { job: arguments.job.clone(), windows: arguments.windows.clone() }
    }
}
