package dsl

// Truth is what a condition comes to.
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

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// and is false when either is false, whatever the other.
func and(a, b Truth) Truth {
	switch {
	case a == False || b == False:
		return False
	case a == Unknown || b == Unknown:
		return Unknown
	}
	return True
}

// or is true when either is true, whatever the other.
func or(a, b Truth) Truth {
	switch {
	case a == True || b == True:
		return True
	case a == Unknown || b == Unknown:
		return Unknown
	}
	return False
}

func not(a Truth) Truth {
	switch a {
	case False:
		return True
	case True:
		return False
	}
	return Unknown
}
