// What the server says when it refuses.

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
