package dsl

// PIITypeNames are the built-in types of personal data: the 83 of the PII stage's
// packs. A tenant's own types may have any other name.
var PIITypeNames = []string{
	"EMAIL", "PHONE", "CREDIT_CARD", "IBAN", "US_SSN", "US_ITIN", "IP_ADDRESS", "MAC_ADDRESS", "CRYPTO_ADDRESS", "API_KEY", "JWT",
	"PRIVATE_KEY", "URL_CREDENTIALS", "PASSWORD", "CARD_CVV", "CARD_EXPIRY", "CARD_TRACK", "IN_AADHAAR",
	"SWIFT_BIC", "US_ABA_ROUTING", "BANK_ACCOUNT", "UK_SORT_CODE",
	"IMEI", "IMSI", "VIN", "LICENSE_PLATE", "DATE_OF_BIRTH", "AGE", "LAT_LONG", "POSTAL_CODE", "STREET_ADDRESS", "PERSON", "URL", "USERNAME", "UUID",
	"PASSPORT", "DRIVER_LICENSE", "DE_ID_CARD", "HK_ID", "TW_ID", "PK_CNIC",
	"US_EIN", "US_NPI", "US_MBI", "US_DEA",
	"CA_SIN", "UK_NHS", "UK_NINO", "UK_UTR", "AU_TFN", "AU_ABN", "AU_ACN", "AU_MEDICARE",
	"ES_NIF", "ES_NIE", "FR_NIR", "DE_TAX_ID", "DE_SOCIAL_SECURITY", "IT_FISCAL_CODE", "NL_BSN", "BE_NN", "PL_PESEL", "SE_PERSONNUMMER",
	"FI_HETU", "DK_CPR", "NO_FNR", "RO_CNP", "BG_EGN", "EU_VAT",
	"BR_CPF", "BR_CNPJ", "AR_CUIT", "MX_CURP", "CL_RUT", "IN_PAN", "IN_GSTIN", "SG_NRIC", "KR_RRN", "CN_RIC", "TH_TNIN", "TR_TCKN", "ZA_ID", "IL_ID",
}
