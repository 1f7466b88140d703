package config

// rules are all orders and settings of a chain that are refused or cause a warning. The request passes the links from
// first to last, the answer from last to first.
var rules = []lintRule{
	{
		code: "CACHE_BEFORE_PII", refuse: true, find: findBefore(isCache, isPII.joinAnd(enforces)),
		says: "cache comes before pii (%s), so raw personal data would be cached, and restored values too",
		hint: "write the pii link above the cache link",
	},
	{
		code: "WEBHOOK_BEFORE_PII", refuse: true, find: findBefore(mindsRaw, redacts),
		says: "the webhook comes before pii (%s), so raw personal data would leave the gateway, in requests and in restored answers",
		hint: "write the pii link above it, or allow_raw: true if its receiver may see personal data",
	},
	{
		code:   "SHADOW_WEBHOOK_SEES_RAW",
		refuse: true,
		find:   findBeside(mindsRaw.joinAnd(shadowed), redacts),
		says:   "a link in shadow is shown texts as they were before any link changed them, so the webhook would get the personal data that pii (%s) takes out",
		hint:   "write mode: enforce with fail_mode: OPEN and a receiver that only flags, or allow_raw: true if it may see personal data",
	},
	{
		code:   "SHADOW_CACHE_STORES_RAW",
		refuse: true,
		find:   findBeside(isCache.joinAnd(shadowed), redacts),
		says:   "a link in shadow is shown texts as they were before any link changed them, so the personal data that pii (%s) takes out would be cached",
		hint:   "remove mode: shadow, or the cache link",
	},
	{
		code: "CACHE_HALF", refuse: true, find: findSingle(isCache.joinAnd(negateTest(testRuns(PhaseRequest).joinAnd(testRuns(PhaseResponse))))),
		says: "the cache looks up in the phase request and stores in the phase response, and needs both",
		hint: "remove phases:",
	},
	{
		code: "PII_OFF_BEFORE_CACHE", find: findAfter(isPII.joinAnd(negateTest(redacts)), isCache.joinAnd(enforces), redacts),
		says: "pii (%s) leaves texts as they are (mode shadow, action flag, or no request phase), so raw personal data is cached",
		hint: "let pii redact, or limit the cache to requests without personal data with for:",
	},
	{
		code: "PII_OFF_BEFORE_WEBHOOK", find: findAfter(isPII.joinAnd(negateTest(redacts)), mindsRaw.joinAnd(enforces), redacts),
		says: "pii (%s) leaves texts as they are (mode shadow, action flag, or no request phase), so raw personal data leaves the gateway",
		hint: "let pii redact, or write allow_raw: true if the receiver may see personal data",
	},
	{
		code: "PII_SOME_FLAGGED_BEFORE_CACHE", find: findAfter(leavesSome, isCache.joinAnd(enforces), redacts.joinAnd(negateTest(leavesSome))),
		says: "pii (%s) only flags some types of personal data, whose values are cached as they are",
		hint: "let pii redact or block them, or limit the cache to requests without personal data with for:",
	},
	{
		code: "PII_SOME_FLAGGED_BEFORE_WEBHOOK", find: findAfter(leavesSome, mindsRaw.joinAnd(enforces), redacts.joinAnd(negateTest(leavesSome))),
		says: "pii (%s) only flags some types of personal data, whose values leave the gateway as they are",
		hint: "let pii redact or block them, or write allow_raw: true if the receiver may see them",
	},
	{
		code: "PII_NARROWER_THAN_CACHE", find: findUncoveredPhase(redacts, isCache.joinAnd(enforces)),
		says: "the cache runs for exchanges that pii (%s) does not run for, whose raw personal data is cached",
		hint: "give both links the same for:",
	},
	{
		code: "PII_NARROWER_THAN_WEBHOOK", find: findUncoveredPhase(redacts, mindsRaw.joinAnd(enforces)),
		says: "the webhook runs for exchanges that pii (%s) does not run for, whose raw personal data leaves the gateway",
		hint: "give both links the same for:, or write allow_raw: true if the receiver may see personal data",
	},
	{
		code: "PII_FAULT_PASSES_TO_CACHE", find: findAfter(redacts.joinAnd(passes), isCache.joinAnd(enforces), nil),
		says: "pii (%s) has on_fault: pass, so when it fails raw personal data is cached",
		hint: "write on_fault: block on the pii link",
	},
	{
		code: "PII_FAULT_PASSES_TO_WEBHOOK", find: findAfter(redacts.joinAnd(passes), mindsRaw.joinAnd(enforces), nil),
		says: "pii (%s) has on_fault: pass, so when it fails raw personal data leaves the gateway",
		hint: "write on_fault: block on the pii link, or allow_raw: true if the receiver may see personal data",
	},
	{
		code: "WEBHOOK_WITHOUT_PII", find: findWithout(mindsRaw, isPII),
		says: "the chain has no pii link, so personal data leaves the gateway with the texts",
		hint: "write a pii link above it, or allow_raw: true if its receiver may see personal data",
	},
	{
		code: "PII_TWICE", find: findAfter(redacts, redacts, nil),
		says: "pii already runs at %s: everything is scanned twice, and answers are restored twice",
		hint: "keep one of them, or narrow them to different tenants with for:",
	},
	{
		code: "PII_NOT_RESTORED", find: findSingle(redacts.joinAnd(negateTest(testRuns(PhaseResponse)))),
		says: "pii takes values out of requests and does not run on answers, so clients get placeholders",
		hint: "write phases: [request, response], or remove phases:",
	},
	{
		code: "POLICY_FINDINGS_SKIP_CACHE",
		find: findLateRules,
		says: "the policies' rules on findings (pii.*, detector.*) wait until a target is chosen, as detectors come after this link, and answers out of the cache (%s) come to no target",
		hint: "write a second policy link behind the detectors and above the cache link, if there are such rules",
	},
	{
		code: "POLICY_HALF",
		find: findSingle(matchStage("policy").joinAnd(negateTest(testRuns(PhaseRequest).joinAnd(testRuns(PhaseTarget))))),
		says: "rules on the model are asked in the phase request and rules on the provider in the phase target; this link leaves one of them out, so such rules do nothing here",
		hint: "remove phases:, or see to it that another policy link runs in the other phase",
	},
	{
		code: "POLICY_NOT_FOR_ALL", find: findUncovered(matchStage("policy")),
		says: "active policies are enforced only where a written policy link enforces them: this one is in shadow or has a for:, and no other covers the rest",
		hint: "write a policy link with mode: enforce and without for:, or remove this one: without a written link the gateway enforces them everywhere",
	},
	{
		code: "RATELIMIT_AFTER_CACHE", find: findAfter(isCache.joinAnd(enforces), testRole(RoleRateLimit), nil),
		says: "the rate limit comes after the cache (%s), so answers out of the cache are not limited",
		hint: "write the ratelimit link above the cache link",
	},
	{
		code: "BUDGET_AFTER_CACHE", find: findAfter(isCache.joinAnd(enforces), testRole(RoleBudget), nil),
		says: "the budget comes after the cache (%s), so answers out of the cache go to those whose budget is spent, without its headers",
		hint: "write the budget link above the cache link",
	},
	{
		code: "GUARD_AFTER_CACHE", find: findBefore(isCache.joinAnd(enforces), isGuard.joinAnd(enforces)),
		says: "%s comes after the cache, so it judges neither the requests that the cache answers nor these answers",
		hint: "write the cache link below all guards; it should be the last link",
	},
	{
		code: "RATELIMIT_AFTER_WEBHOOK", find: findAfter(isWebhook.joinAnd(enforces), testRole(RoleRateLimit), nil),
		says: "the rate limit comes after the webhook (%s), which is called for requests over the limit too",
		hint: "write the ratelimit link above the webhook",
	},
	{
		code: "SCHEMA_BEFORE_RESTORE", find: findAfter(isPII.joinAnd(enforces, testRuns(PhaseResponse)), matchStage("schema").joinAnd(testRuns(PhaseResponse)), nil),
		says: "answers meet the links from last to first, so the schema is checked before pii (%s) restores, against placeholders",
		hint: "write the schema link above the pii link",
	},
	{
		code: "BATCH_UNGUARDED", applies: leavesBatches, find: findFirst(skipsBatches.joinAnd(enforces)),
		says: "lines of batch files bypass this link and all others that do not redact, so batches carry what live calls must not",
		hint: "write batch: {guards: enforce}",
	},
	{
		code: "KEY_BY_NAME", find: findFirst(namesKeys),
		says: "for: {keys} matches names of keys, and whoever creates a key chooses its name",
		hint: "write the ids that `headgate keys list` shows",
	},
	{
		code: "CACHE_TWICE", find: findAfter(isCache.joinAnd(enforces), isCache.joinAnd(enforces), nil),
		says: "the cache runs already at %s, and answers first",
		hint: "keep one of them, or narrow them to different tenants with for:",
	},
}
