// The words of a server that refuses.
import assert from "node:assert";
import test from "node:test";
import { refusalOf } from "../../services/renderer_sink/view/page/src/reply.js";

test("the server's own words are taken, and its status in want of them", async () => {
  const refused = await refusalOf(new Response('{"error":"no temporary file"}', { status: 503 }));
  assert.equal(refused.message, "no temporary file");
  assert.equal(refused.status, 503);
  for (const body of ["<html>Bad gateway</html>", "", "{}", "null"]) {
    assert.equal((await refusalOf(new Response(body, { status: 502 }))).message, "the server says 502");
  }
});
