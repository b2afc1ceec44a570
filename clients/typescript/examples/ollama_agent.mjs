// An agent with a model that Ollama runs (ollama run llama3.2).
//
//   node ollama_agent.mjs "Why is the sky blue?"
import { Avatar } from "posewire";

async function* answer(question) {
  const reply = await fetch("http://127.0.0.1:11434/api/generate",
    { method: "POST", body: JSON.stringify({ model: "llama3.2", prompt: question }) });
  let rest = "";
  for await (const text of reply.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line).response;
  }
}

const avatar = new Avatar("http://127.0.0.1:8080", { stream: "demo" });
const said = await avatar.speak(answer(process.argv[2]));
console.log(said.reason, said.text);
