/**
 * Node takes the types off our files with WebAssembly. Where two threads of a process do that, as with every store of a test,
 * V8 13.6 now and then frees machine code twice once it has made some anew for calls out of it, and the process is
 * gone (https://github.com/nodejs/node/issues/64500). Nothing is made anew that is never called often enough. The app itself
 * is built: it has no types left to take off.
 */
require('node:v8').setFlagsFromString('--wasm-wrapper-tiering-budget=2000000000')
