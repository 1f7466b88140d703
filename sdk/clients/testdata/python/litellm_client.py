"""Sends chat requests through LiteLLM's router: one JSON document a line from standard input.

Its argument is a configuration of LiteLLM's, written as JSON.
"""

import json
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # the package's own prices, and no download

import litellm

with open(sys.argv[1], encoding="utf-8") as file:
    config = json.load(file)
router = litellm.Router(model_list=config["model_list"], num_retries=0)
count = 0
for line in sys.stdin:
    answer = router.completion(**json.loads(line))
    if isinstance(answer, litellm.CustomStreamWrapper):
        for _ in answer:
            pass
    count += 1
print("ok", count)
