// What the scorer knows: phrases, in small letters, each with a group and a
// weight in hundredths. In a score every group counts once, with its heaviest
// phrase. A score begins at an anchor: a phrase of kind 0 only adds to one, one of
// kind 2 only begins one, and one of kind 1 does both.
//
// A blank stands for one to four blanks, tabs or line feeds. The list is the
// author's own: the ways in which such texts are commonly put.

enum { OVERRIDE, BEFORE_IT, ORDERS, ASK, SECRET, PERSONA, FREEDOM, MARKUP, TARGET };

//  phrase, group, weight, kind of anchor
#define PHRASES                                                                                                       \
  P("ignore", OVERRIDE, 35, 2) P("ignoring", OVERRIDE, 30, 2) P("disregard", OVERRIDE, 40, 2)                         \
  P("forget", OVERRIDE, 35, 2) P("override", OVERRIDE, 35, 2) P("overrule", OVERRIDE, 35, 2)                          \
  P("bypass", OVERRIDE, 30, 2) P("do not follow", OVERRIDE, 35, 2) P("do not listen", OVERRIDE, 40, 2)                \
  P("pay no attention", OVERRIDE, 40, 2) P("stop following", OVERRIDE, 35, 2) P("neglect", OVERRIDE, 25, 2)           \
  P("erase", OVERRIDE, 25, 2) P("discard", OVERRIDE, 30, 2) P("new instructions", OVERRIDE, 45, 2)                    \
  P("are false", OVERRIDE, 30, 0) P("are void", OVERRIDE, 35, 0) P("no longer apply", OVERRIDE, 35, 0)                \
  P("previous", BEFORE_IT, 20, 1) P("prior", BEFORE_IT, 20, 1) P("preceding", BEFORE_IT, 20, 1)                       \
  P("earlier", BEFORE_IT, 15, 0) P("above", BEFORE_IT, 20, 0)                      \
  P("foregoing", BEFORE_IT, 20, 0) P("initial", BEFORE_IT, 15, 0) P("original", BEFORE_IT, 15, 0)                     \
  P("you were given", BEFORE_IT, 20, 0) P("you have been told", BEFORE_IT, 30, 0) P("all your", BEFORE_IT, 10, 0)     \
  P("your", BEFORE_IT, 5, 0)                                                                                          \
  P("instructions", ORDERS, 30, 0) P("instruction", ORDERS, 25, 0) P("directions", ORDERS, 25, 0)                     \
  P("directives", ORDERS, 30, 0) P("rules", ORDERS, 20, 0) P("guidelines", ORDERS, 25, 0)                             \
  P("orders", ORDERS, 20, 0) P("commands", ORDERS, 20, 0) P("prompt", ORDERS, 20, 0) P("prompts", ORDERS, 20, 0)      \
  P("programming", ORDERS, 20, 0) P("training", ORDERS, 15, 0) P("everything", ORDERS, 20, 0)                         \
  P("restrictions", ORDERS, 25, 0) P("safety", ORDERS, 15, 0) P("filters", ORDERS, 20, 0)                             \
  P("and instead", ORDERS, 25, 0)                                                                                     \
  P("reveal", ASK, 25, 1) P("repeat", ASK, 20, 1) P("print", ASK, 15, 1) P("output", ASK, 15, 1)                      \
  P("show me", ASK, 20, 1) P("display", ASK, 15, 1) P("tell me", ASK, 20, 1) P("give me", ASK, 15, 1)                 \
  P("what is your", ASK, 20, 1) P("what are your", ASK, 20, 1) P("what were your", ASK, 20, 1)                        \
  P("spell check", ASK, 15, 1) P("leak", ASK, 25, 1) P("confirm the", ASK, 15, 1) P("write down", ASK, 15, 1)         \
  P("translate", ASK, 10, 1) P("encode", ASK, 20, 1)                                                                  \
  P("system prompt", SECRET, 45, 0) P("initial prompt", SECRET, 45, 0) P("your prompt", SECRET, 40, 0)                \
  P("your instructions", SECRET, 45, 0) P("system instructions", SECRET, 50, 0)                                       \
  P("initial instructions", SECRET, 50, 0) P("instructions you were given", SECRET, 50, 0)                            \
  P("instructions given", SECRET, 45, 0) P("previous instructions", SECRET, 45, 0) P("hidden instructions", SECRET, 50, 0) \
  P("secret key", SECRET, 45, 0) P("secret word", SECRET, 40, 0) P("the above text", SECRET, 40, 0)                   \
  P("you were given initially", SECRET, 45, 0) P("the password", SECRET, 45, 0)                                       \
  P("your password", SECRET, 45, 0) P("entire conversation", SECRET, 45, 0)                                           \
  P("from now on", PERSONA, 30, 1) P("you are now", PERSONA, 30, 1) P("you are going to", PERSONA, 20, 1)             \
  P("act as", PERSONA, 20, 1) P("pretend", PERSONA, 25, 1) P("roleplay", PERSONA, 20, 1)                              \
  P("developer mode", PERSONA, 45, 1) P("maintenance mode", PERSONA, 40, 1) P("dan mode", PERSONA, 60, 1)             \
  P("do anything now", PERSONA, 70, 1) P("jailbreak", PERSONA, 40, 1) P("jailbroken", PERSONA, 45, 1)                 \
  P("stay in character", PERSONA, 30, 1) P("hypothetical response", PERSONA, 20, 1)                                   \
  P("no restrictions", FREEDOM, 40, 0) P("without any restrictions", FREEDOM, 45, 0) P("no limits", FREEDOM, 30, 0)   \
  P("unfiltered", FREEDOM, 40, 0) P("uncensored", FREEDOM, 40, 0) P("never refuse", FREEDOM, 45, 0)                   \
  P("no ethical", FREEDOM, 45, 0) P("no moral", FREEDOM, 45, 0) P("any moral", FREEDOM, 40, 0)                        \
  P("amoral", FREEDOM, 45, 0) P("does not have any", FREEDOM, 30, 0) P("can do anything", FREEDOM, 45, 0)             \
  P("free of all", FREEDOM, 35, 0) P("no rules", FREEDOM, 40, 0) P("without rules", FREEDOM, 40, 0)                   \
  P("illegal", FREEDOM, 20, 0) P("unethical", FREEDOM, 30, 0) P("never says no", FREEDOM, 45, 0)                      \
  P("never declines", FREEDOM, 45, 0) P("bypass", FREEDOM, 25, 0) P("openai policies", FREEDOM, 40, 0)                \
  P("content policy", FREEDOM, 30, 0)                                                                                 \
  P("<|im_start|>", MARKUP, 60, 1) P("<|im_end|>", MARKUP, 60, 1) P("[system]", MARKUP, 40, 1)                        \
  P("</system>", MARKUP, 50, 1) P("[inst]", MARKUP, 50, 1) P("### system", MARKUP, 40, 1)                             \
  P("state that", TARGET, 10, 0) P("the function", TARGET, 10, 0)             \
  P("the webpage", TARGET, 25, 0) P("the rest of", TARGET, 15, 0) P("the article", TARGET, 15, 0)
