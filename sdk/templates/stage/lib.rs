//! @NAME@ keeps marked text inside the house. A request that holds
//! "[confidential]" is refused; "[internal]" is cut out. Models whose names begin
//! with "local" may read everything.

mod headgate;
use headgate::{annotate, deny, field, segments, Field, Phase};

headgate::stage!(judge);

const CONFIDENTIAL: &str = "[confidential]";
const INTERNAL: &str = "[internal]";

fn judge(phase: Phase, buffer: &mut Vec<u8>) -> Result<(), String> {
    let local = field(Field::Model, buffer).map_or(false, |model| model.starts_with("local"));
    if phase != Phase::Request || local {
        return Ok(());
    }
    for segment in segments() {
        let text = segment.read(buffer)?;
        if text.contains(CONFIDENTIAL) {
            deny(
                "confidential_text",
                "The request holds text that is marked as confidential.",
            );
            return Ok(());
        }
        for (at, mark) in text.match_indices(INTERNAL) {
            segment.edit(at, at + mark.len(), "");
            annotate("internal_mark", "");
        }
    }
    Ok(())
}
