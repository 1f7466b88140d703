package rest_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestARequestThatIsSentAgainIsDoneOnce(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		first := a.do("POST", "/admin/v1/tenants", `{"name":"a"}`, "Idempotency-Key", "k1").is(201)
		again := a.do("POST", "/admin/v1/tenants", `{"name":"a"}`, "Idempotency-Key", "k1").is(201)
		assert.Equal(t, first.text, again.text)
		assert.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
		assert.Equal(t, first.header.Get("Content-Type"), again.header.Get("Content-Type"))
		assert.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
		assert.Equal(t, 1, a.do("GET", "/admin/v1/tenants", nil).len("data"))

		a.do("POST", "/admin/v1/tenants", `{"name":"b"}`, "Idempotency-Key", "k1").requireRefusal(409, "idempotency_key_reused")
		a.do("POST", "/admin/v1/routes", `{"name":"a"}`, "Idempotency-Key", "k1").requireRefusal(409, "idempotency_key_reused")
		a.sendAs("admin@"+first.str("id"), "POST", "/admin/v1/tenants", `{"name":"a"}`, "Idempotency-Key", "k1").requireRefusal(403, "FORBIDDEN")

		keys := first.header.Get("Location") + "/keys"
		k := a.do("POST", keys, `{"name":"ci"}`, "Idempotency-Key", "k2").is(201)
		assert.Equal(t, k.str("key"), a.do("POST", keys, `{"name":"ci"}`, "Idempotency-Key", "k2").is(201).str("key"))
		assert.Equal(t, 1, a.do("GET", keys, nil).len("data"))
		a.now.Add((25 * time.Hour).Microseconds())
		assert.NotEqual(
			t,
			k.str("key"),
			a.do("POST", keys, `{"name":"ci"}`, "Idempotency-Key", "k2").is(201).str("key"),
			"answers expire after a day",
		)
		for _, bad := range []string{strings.Repeat("x", 256), "tab\tkey"} {
			a.do("POST", keys, `{"name":"ci"}`, "Idempotency-Key", bad).requireRefusal(400, "invalid_value")
		}
	})
}

func TestOfRequestsAtOnceWithOneKeyOneIsDone(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		var wg sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			wg.Go(func() {
				statuses[i] = a.do("POST", "/admin/v1/tenants", `{"name":"a"}`, "Idempotency-Key", "k").status
			})
		}
		wg.Wait()
		for _, s := range statuses {
			assert.Contains(t, []int{201, 409}, s)
		}
		assert.Equal(t, 1, a.do("GET", "/admin/v1/tenants", nil).len("data"))
	})
}

func TestAnAnswerIsNotRepeatedForAnotherTenantOfOnePerson(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		one, two := a.tenant("one"), a.tenant("two")
		send := func(tenant string) reply {
			return a.sendAs(
				"anybody@"+tenant,
				"POST",
				"/admin/v1/policies",
				map[string]string{"name": "p", "dsl": denies},
				"Idempotency-Key",
				"k",
			).is(
				201,
			)
		}
		assert.Equal(t, one, send(one).str("tenant_id"))
		assert.Equal(t, two, send(two).str("tenant_id"))
		assert.Equal(t, "true", send(one).header.Get("Idempotent-Replayed"))
	})
}
