package pii

// phoneWords make digits in a plausible shape a phone number.
var phoneWords = []string{
	"phone", "phones", "telephone", "phonenumber", "phoneno", "mobilephone", "mobilenumber", "homephone", "workphone", "cellphone",
	"tel", "telno", "mobile", "mob", "cell", "cellular", "landline", "hotline", "helpline", "call", "dial", "fax",
	"telefax", "sms", "whatsapp", "voicemail", "pager", "desk", "msisdn", "contactnumber", "smartphone",
	"telefon", "telefonnummer", "handy", "handynummer", "mobil", "mobilnummer", "rufnummer", "fon", "téléphone", "portable", "appel",
	"appelez", "teléfono", "telefono", "móvil", "movil", "celular", "llamar", "llame", "cellulare", "telefone", "telemóvel", "telefoon",
	"mobiel", "puhelin", "matkapuhelin", "mobiltelefon", "komórka", "gsm", "telp", "telepon",
	"телефон", "телефона", "тел", "моб", "звоните", "τηλέφωνο", "κινητό", "هاتف", "جوال", "موبايل", "טלפון", "נייד", "फ़ोन", "फोन", "मोबाइल",
	"电话", "電話", "手机", "手機", "携帯", "전화", "휴대폰", "โทร", "โทรศัพท์",
}

// phoneHints do the same for digits in groups.
var phoneHints = []string{"reach", "reached", "answering", "answers", "text", "texted", "contact", "message", "messages", "registered", "switchboard", "reception"}

// otherNumberWords say that the digits after them number something else.
var otherNumberWords = []string{
	"order", "orders", "invoice", "ticket", "isbn", "issn", "sku", "serial", "parcel", "tracking", "zip", "zipcode", "postcode", "version",
	"account", "acct", "reference", "ref", "id", "uuid", "timestamp", "epoch", "iat", "exp", "pid", "port", "build", "commit", "card", "ssn", "iban",
	"routing", "aba", "imei", "case", "policy", "po", "total", "amount", "usd", "eur",
}
