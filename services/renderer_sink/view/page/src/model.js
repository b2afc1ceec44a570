export function loadModel() { return Promise.reject(new Error("not yet")); }
