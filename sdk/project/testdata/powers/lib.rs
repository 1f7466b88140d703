mod headgate;
use headgate::{annotate, call, field, respond_body, restore, retry, role, route, rule, scope, threshold};
use headgate::{CallError, Field, Phase};

headgate::stage!(judge);

fn judge(phase: Phase, buffer: &mut Vec<u8>) -> Result<(), String> {
    if phase == Phase::Response {
        if let Ok(Some("Ann")) = restore("{{PII_NAME_0123456789abcdef}}", buffer) {
            retry(role::USER, "ask Ann");
        }
        return Ok(());
    }
    let address = field(Field::Address, buffer).unwrap_or("").to_string();
    if !address.is_empty() {
        respond_body(address.as_bytes());
        return Ok(());
    }
    rule("team.limit", "the limit of the team");
    route("other-model", "", 1);
    let refused = call("absent", "/", b"", buffer) == Err(CallError::NotGranted) && !scope("shared:other");
    if call("guard", "/v1/x?a=b", b"hi", buffer) == Ok(207) && refused && scope("shared:team") && threshold("team", 80) {
        annotate("x-out", &String::from_utf8_lossy(buffer));
    }
    Ok(())
}
