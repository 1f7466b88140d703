mod headgate;
use headgate::Held;

headgate::filter!(follow);

const WORD: &str = "secret";

fn follow(held: Held) -> Result<usize, String> {
    for (at, _) in held.text.match_indices(WORD) {
        held.edit(at, at + WORD.len(), "******");
    }
    let hold = (1..WORD.len()).rev().find(|&n| held.text.ends_with(&WORD[..n]));
    Ok(if held.last { 0 } else { hold.unwrap_or(0) })
}
