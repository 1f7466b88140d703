package pii

import "strings"

// followsTerm reports whether the '+' adds a number to what stands in brackets, as in "math.Pow(ar, 5)+1088.0/121275". Phone
// numbers have spaces or dashes, several points, or many digits in one piece.
func followsTerm(n *numbers, t string) bool {
	i := n.start[0] - 2
	if i < 0 || t[i] != ')' && t[i] != ']' {
		return false
	}
	if isDigitByte(findByteBefore(t, i)) {
		return true
	}
	switch n.sep[0] {
	case ' ', '-', mixed:
		return false
	case '.':
		return n.n < 3 || n.sep[1] != '.'
	}
	return n.n > 1 || n.countDigits(0) < 10 || endsOperand(t, i)
}

// operandMax is how far before its end the beginning of an operand is looked for.
const operandMax = 60

// endsOperand reports whether the bracket at i ends an operand of a sum: a subscript, "x[2]", a call with several arguments or with a
// short one, or an expression with operators, as the constants of a hash are added to. A label may precede a phone number
// too: "(office)+14155552671".
func endsOperand(t string, i int) bool {
	open, depth := i-1, 1
	for ; open >= 0 && i-open < operandMax; open-- {
		if isOneOf(t[open], ")]") {
			depth++
		} else if isOneOf(t[open], "([") {
			if depth--; depth == 0 {
				break
			}
		}
	}
	if open < 0 || depth > 0 {
		return open >= 0
	}
	inner := t[open+1 : i]
	if strings.ContainsAny(inner, "&|^~<>=*?[(+") {
		return true
	}
	return open > 0 && (isWordByte(t[open-1]) || isOneOf(t[open-1], ")]")) && (t[i] == ']' || len(inner) < 3 || strings.Contains(inner, ","))
}
