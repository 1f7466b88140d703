package wasm

// RaceEnabled exports raceEnabled to external tests.
const RaceEnabled = raceEnabled
