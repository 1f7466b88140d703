# Sends the same 200 requests through LiteLLM's Python package and through a gateway whose configuration was imported from LiteLLM's, and
# compares what reaches the provider. Run it in an empty folder: python compare.py /path/to/headgate  (pip install litellm)
import json, os, random, subprocess, sys, threading, time, urllib.request, http.server
os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", NO_PROXY="*", OPENAI_API_KEY="sk-upstream-0123456789")
seen=[]
class H(http.server.BaseHTTPRequestHandler):
    protocol_version="HTTP/1.1"
    def do_POST(self):
        b=self.rfile.read(int(self.headers["Content-Length"]))
        seen.append((self.path,b))
        out=json.dumps({"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}).encode()
        self.send_response(200); self.send_header("Content-Type","application/json"); self.send_header("Content-Length",str(len(out))); self.end_headers(); self.wfile.write(out)
    def log_message(self,*a): pass
srv=http.server.ThreadingHTTPServer(("127.0.0.1",0),H); port=srv.server_address[1]
threading.Thread(target=srv.serve_forever,daemon=True).start()
open("config.yaml","w").write(f"""model_list:
  - model_name: fast
    litellm_params: {{model: openai/gpt-4o-mini, api_base: "http://127.0.0.1:{port}/v1", api_key: os.environ/OPENAI_API_KEY}}
""")
print(subprocess.run([sys.argv[1],"import","litellm","config.yaml","--out","gateway.yaml"],capture_output=True,text=True).stderr[-200:])
import socket
k=socket.socket(); k.bind(("127.0.0.1",0)); free=k.getsockname()[1]; k.close()
key="gw_"+"a1"*16
t=open("gateway.yaml").read().replace('key: ""',f'key: "{key}"')
open("gateway.yaml","w").write(t+"server: {listen: '127.0.0.1:"+str(free)+"', metrics_listen: ''}\nguardrail: {default_max_response_tokens: 0}\n")
g=subprocess.Popen([sys.argv[1],"serve","--config","gateway.yaml"],stdout=open("g.out","w"),stderr=subprocess.STDOUT)
addr=f"127.0.0.1:{free}"
import socket
for _ in range(300):
    try: socket.create_connection(("127.0.0.1",free)).close(); break
    except OSError: time.sleep(.1)
r=random.Random(7)
def req(i):
    m=[{"role":"system","content":"Be brief. "+str(i)},{"role":"user","content":r.choice(["Grüße, 世界 🌍","line\nbreak \"quoted\" \\ back","plain text "*r.randint(1,40)])}]
    q={"model":"fast","messages":m}
    for k,v in (("temperature",r.choice([0,0.5,1.0,1])),("top_p",0.9),("max_tokens",r.randint(1,500)),("stop",["END"]),("seed",i),("presence_penalty",0.1),("n",1),("user","u-1"),("logprobs",True),("response_format",{"type":"json_object"}),("frequency_penalty",0.2)):
        if r.random()<.4: q[k]=v
    if r.random()<.3:
        q["tools"]=[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}]
        q["tool_choice"]=r.choice(["auto","required"])
    if r.random()<.2:
        m.append({"role":"assistant","content":None,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"1\"}"}}]}); m.append({"role":"tool","tool_call_id":"c1","content":"done"})
    return q
reqs=[req(i) for i in range(200)]
import litellm
litellm.telemetry=False
a=[]
for q in reqs:
    seen.clear(); q2=dict(json.loads(json.dumps(q))); q2["model"]="openai/gpt-4o-mini"
    try: litellm.completion(api_base=f"http://127.0.0.1:{port}/v1",api_key="sk-x",num_retries=0,**q2); a.append(seen[-1])
    except Exception as e: a.append(("error",str(e)[:200].encode()))
b=[]
for q in reqs:
    seen.clear()
    try:
        urllib.request.urlopen(urllib.request.Request(f"http://{addr}/v1/chat/completions",data=json.dumps(q,ensure_ascii=False).encode(),headers={"Authorization":"Bearer "+key,"Content-Type":"application/json"})).read(); b.append(seen[-1])
    except Exception as e: b.append(("error",(str(e)+str(getattr(e,'read',lambda:b'')()))[:300].encode()))
g.terminate(); g.wait()
from collections import Counter
c=Counter(); ex={}
for x,y in zip(a,b):
    if x[0]=="error" or y[0]=="error": k="error"; c[k]+=1; ex.setdefault(k,(x[1][:200],y[1][:300])); continue
    c["bytes equal"]+= x[1]==y[1]; c["path equal"]+= x[0]==y[0]
    X,Y=json.loads(x[1]),json.loads(y[1])
    c["equal as JSON"]+= X==Y
    for k in sorted(set(X)|set(Y)):
        if X.get(k,"absent")!=Y.get(k,"absent"): c["field "+k]+=1; ex.setdefault(k,(X.get(k,"absent"),Y.get(k,"absent")))
print(litellm.__dict__.get("__version__"), dict(c)); 
for k,v in ex.items(): print(k,v)
