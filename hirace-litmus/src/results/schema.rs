use super::Document;
use crate::report::Listing;
use schemars::Schema;

/// The messages between a service and its clients.
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "its schema is what it is for")]
struct Messages {
    asked: crate::job::JobRequest,
    job: crate::job::Job,
    proposed: crate::campaign::CampaignProposal,
    announced: crate::campaign::SharedCampaign,
    lease_asked: crate::remote::LeaseRequest,
    leased: crate::remote::LeaseResponse,
    worked: crate::remote::WorkReport,
    kept: crate::remote::WorkReceipt,
    submitted: crate::remote::SubmissionReceipt,
    problem: crate::remote::Problem,
}

/// Compares the checked-in schema file with the types.
fn check(name: &str, schema: Schema) {
    let schema = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/{}.schema.json"), name);
    hirace_testing::assert_up_to_date(path, &schema);
}

#[test]
fn the_schemas_that_are_checked_in_are_current() {
    check("hirace.litmus-1", schemars::schema_for!(Document));
    check("hirace.litmus-tests-1", schemars::schema_for!(Listing));
    check("hirace.litmus-locks-1", schemars::schema_for!(crate::locks::Locks));
    let prefix_sums = schemars::schema_for!(crate::prefix_sum::PrefixSums);
    check("hirace.litmus-prefix-sums-1", prefix_sums);
    let race_bounds = schemars::schema_for!(crate::race_bounds::RaceBounds);
    check("hirace.litmus-race-bounds-1", race_bounds);
    check("hirace.litmus-service-1", schemars::schema_for!(Messages));
    check("hirace.litmus-analysis-1", schemars::schema_for!(crate::analysis::document::Analysis));
}
