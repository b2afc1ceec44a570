// Prints what Khronos' validator finds in glTF files, as JSON by file: [{code, message, severity}].
// Severities: 0 errors, 1 warnings, 2 notes, 3 hints.
const fs = require('fs');
const validator = require('gltf-validator');

(async () => {
  const out = {};
  for (const file of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    out[file] = report.issues.messages;
  }
  console.log(JSON.stringify(out));
})();
