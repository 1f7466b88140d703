package wasm

// RaceEnabled tells tests outside of the package.
const RaceEnabled = raceEnabled
