package rest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestASecondPersonConsents(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		asked := time.Now().UTC().Truncate(time.Second)
		a.now.Store(asked.UnixMicro()) // the database, which forgets expired requests, has a clock of its own
		r := a.do("POST", "/admin/v1/approvals", `{"format":"json","reason":"yearly audit"}`).is(201)
		path := r.header.Get("Location")
		assert.Equal(t, "PENDING", r.str("status"))
		assert.Equal(t, "json", r.str("subject", "format"))
		again := a.do("POST", "/admin/v1/approvals", `{"format":"json"}`).is(201)
		assert.Equal(t, r.str("id"), again.str("id"), "a pending request is not repeated")

		a.do("POST", path+"/approve", nil).requireRefusal(403, "APPROVER_IS_REQUESTER")
		a.do("POST", path+"/deny", nil).requireRefusal(403, "APPROVER_IS_REQUESTER")
		a.sendAs("billing-admin", "POST", path+"/approve", nil).requireRefusal(403, "FORBIDDEN")
		v := a.sendAs("policy-admin", "POST", path+"/approve", `{"hours":2}`).is(200)
		assert.Equal(t, "APPROVED", v.str("status"))
		assert.Equal(t, "user:policy-admin", v.str("approver"))
		assert.Equal(t, asked.Add(2*time.Hour).Format(time.RFC3339), v.str("expires_at"))
		a.sendAs("policy-admin", "POST", path+"/deny", nil).requireRefusal(409, "conflict")
		assert.Equal(t, 0, a.do("GET", "/admin/v1/approvals?status=PENDING", nil).is(200).len("data"))
		assert.Equal(t, 1, a.do("GET", "/admin/v1/approvals", nil).is(200).len("data"))
		a.now.Add((3 * time.Hour).Microseconds())
		assert.Equal(t, "EXPIRED", a.do("GET", path, nil).is(200).str("status"))
		a.do("GET", "/admin/v1/approvals/nothing", nil).requireRefusal(404, "not_found")
		a.sendAs("viewer@t", "GET", path, nil).requireRefusal(404, "not_found")
	})
}
