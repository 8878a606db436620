//! Which part of what lies below a path is opened.

use clap::Args;
use npuscope_store::discover::Choice;

#[derive(Clone, Debug, Default, Args)]
pub struct ChoiceArguments {
    /// Job to open [default: the one with the most ranks; if several, the latest]
    ///
    /// A directory with several runs has several jobs; `npuscope doctor` lists them.
    #[arg(long, value_name = "NAME")]
    pub job: Option<String>,
    /// Windows to open, by number or stage, for example 0,2 [default: all]
    ///
    /// A rank that was recorded several times has several windows; `npuscope doctor` lists them with their stages.
    #[arg(long = "window", visible_alias = "windows", value_name = "LIST", value_delimiter = ',')]
    pub windows: Vec<String>,
}

impl From<&ChoiceArguments> for Choice {
    fn from(arguments: &ChoiceArguments) -> Choice {
        Choice { job: arguments.job.clone(), windows: arguments.windows.clone() }
    }
}
