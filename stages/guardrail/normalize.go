package guardrail

// Normalize returns a text as the detectors read it: lower case, look-alikes and hidden characters resolved.
func Normalize(s string) string { return foldText(s) }
