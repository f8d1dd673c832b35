// The worker runs the engine. The page sends the compiled module, and requests, which wait until the engine takes them.
importScripts('wasm_exec.js')

const early = []
self.onmessage = ({ data }) => { if (data.module) run(data.module); else early.push(data) }

// take gives the engine the requests from now on, and those that have come.
self.take = (handler) => {
  self.onmessage = handler
  for (const data of early) setTimeout(handler, 0, { data })
}

async function run(module) {
  const go = new Go()
  try {
    await go.run(await WebAssembly.instantiate(module, go.importObject))
    postMessage({ gone: 'it has run out of memory, or met a fault' })
  } catch (e) {
    postMessage({ gone: String(e) })
  }
}
