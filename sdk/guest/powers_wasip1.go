package guest

func rule(id, reason string) {
	a, an := locateText(id)
	b, bn := locateText(reason)
	hostRule(a, an, b, bn)
}

func retry(role uint32, text string) {
	p, n := locateText(text)
	hostRetry(role, p, n)
}

func respondBody(body []byte) {
	p, n := locateBytes(body)
	hostRespondBody(p, n)
}

func route(model, region string, weight uint32) {
	m, mn := locateText(model)
	r, rn := locateText(region)
	hostRoute(m, mn, r, rn, weight)
}

func stateScope(word string) uint32 {
	p, n := locateText(word)
	return hostStateScope(p, n)
}

func threshold(name string, percent uint32) uint32 {
	p, n := locateText(name)
	return hostThreshold(p, n, percent)
}

func hostCall(upstream, path string, body []byte) int64 {
	u, un := locateText(upstream)
	p, pn := locateText(path)
	b, bn := locateBytes(body)
	return hostSend(u, un, p, pn, b, bn)
}

func callRead(off uint32, to []byte) uint32 {
	p, n := locateBytes(to)
	return hostReceive(off, p, n)
}

func redactFound(place uint32) uint32 { return hostRedactFound(place) }

func withhold() { hostWithhold() }

func restore(token string, to []byte) uint32 {
	t, tn := locateText(token)
	p, n := locateBytes(to)
	return hostRestore(t, tn, p, n)
}

func answerKeep(most uint32) { hostAnswerKeep(most) }

func bodyRead(to []byte) uint32 {
	p, n := locateBytes(to)
	return hostBodyRead(p, n)
}
