package pii

import "testing"

func TestKeysOfPuttyAndCodedCardsDoNotDependOnTheCutting(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"Comment: kim\r\nPrivate-Lines: 2\r\nAAAAIGq8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6ZAAAAIGq8Zr2LmX0vTn4K\r\npW9sBdQ7\r\nPrivate-MAC: 3f9a04be\r\nand so on",
		`{"key": "Private-Lines: 1\nAAAAIGq8Zr2LmX0vTn4K\nPrivate-MAC: 3f9a04be51d2"}`,
		"pay with card=4539%208245%205345%209855&to=kim today", `card "4539\u00a08245\u00a05345\u00a09855" of kim`,
	} {
		assertAnyCutting(t, e, text, 2)
	}
}
