package guest

func rule(id, reason string) {
	a, an := ofText(id)
	b, bn := ofText(reason)
	hostRule(a, an, b, bn)
}

func retry(role uint32, text string) {
	p, n := ofText(text)
	hostRetry(role, p, n)
}

func respondBody(body []byte) {
	p, n := ofBytes(body)
	hostRespondBody(p, n)
}

func route(model, region string, weight uint32) {
	m, mn := ofText(model)
	r, rn := ofText(region)
	hostRoute(m, mn, r, rn, weight)
}

func stateScope(word string) uint32 {
	p, n := ofText(word)
	return hostStateScope(p, n)
}

func threshold(name string, percent uint32) uint32 {
	p, n := ofText(name)
	return hostThreshold(p, n, percent)
}

func hostCall(upstream, path string, body []byte) int64 {
	u, un := ofText(upstream)
	p, pn := ofText(path)
	b, bn := ofBytes(body)
	return hostSend(u, un, p, pn, b, bn)
}

func callRead(off uint32, to []byte) uint32 {
	p, n := ofBytes(to)
	return hostReceive(off, p, n)
}

func restore(token string, to []byte) uint32 {
	t, tn := ofText(token)
	p, n := ofBytes(to)
	return hostRestore(t, tn, p, n)
}
