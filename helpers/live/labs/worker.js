// Each message: {id, call, given}; the answer: {id, value} or {id, wrong}.
let engine = null;
onmessage = async ({data}) => {
  if (data.module) { engine = load(data.module); return; }
  try { postMessage({id: data.id, value: (await engine)[data.call](...data.given)}); }
  catch (error) { postMessage({id: data.id, wrong: String(error.message || error)}); }
};
