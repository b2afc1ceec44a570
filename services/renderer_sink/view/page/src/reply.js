// What the server answers to what is asked over HTTP.

// The error of a fetch's reply that is not ok; `status` is the reply's.
export async function refusalOf(reply) {
  let said;
  try {
    said = (await reply.json()).error;
  } catch {
    // No JSON: the reply of somebody between here and the server.
  }
  const error = new Error(said || `the server says ${reply.status}`);
  error.status = reply.status;
  return error;
}

// The JSON that `path` answers; `params` are posted as JSON.
export async function ask(path, params) {
  const reply = await fetch(path, params === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(params),
  });
  if (!reply.ok) throw await refusalOf(reply);
  return reply.json();
}
