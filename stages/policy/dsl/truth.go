package dsl

// Truth is the result of a condition.
type Truth uint8

// Truths.
const (
	False Truth = iota
	True
	Unknown // an input is not known
)

func (t Truth) String() string {
	switch t {
	case False:
		return "false"
	case True:
		return "true"
	}
	return "unknown"
}

func convertTruth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// conjoinTruths returns False if either is False, whatever the other is.
func conjoinTruths(a, b Truth) Truth {
	switch {
	case a == False || b == False:
		return False
	case a == Unknown || b == Unknown:
		return Unknown
	}
	return True
}

// disjoinTruths returns True if either is True, whatever the other is.
func disjoinTruths(a, b Truth) Truth {
	switch {
	case a == True || b == True:
		return True
	case a == Unknown || b == Unknown:
		return Unknown
	}
	return False
}

func negateTruth(a Truth) Truth {
	switch a {
	case False:
		return True
	case True:
		return False
	}
	return Unknown
}
