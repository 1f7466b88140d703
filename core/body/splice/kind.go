package splice

// Kind is the kind of a JSON value, known from its first byte.
type Kind uint8

// The kinds of JSON values. The zero Kind is none of them.
const (
	Object Kind = iota + 1
	Array
	String
	Number
	True
	False
	Null
)

// kinds maps the first byte of a value to its kind.
var kinds = [256]Kind{
	'{': Object, '[': Array, '"': String, 't': True, 'f': False, 'n': Null, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}
