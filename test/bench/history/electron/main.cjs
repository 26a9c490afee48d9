/** The engine in a utility process of Electron, as the app has it; what is posted goes through here to who measures it. */
const { app, utilityProcess } = require('electron')

const [script = '', ...engineArguments] = process.argv.slice(-4)
app.disableHardwareAcceleration()
void app.whenReady().then(() => {
  const engine = utilityProcess.fork(script, engineArguments, { serviceName: 'engine' })
  engine.on('spawn', () => process.send?.({ pid: engine.pid }))
  engine.on('message', (message) => process.send?.({ message }))
  engine.on('exit', () => app.quit())
  process.on('message', (message) => engine.postMessage(message))
  process.on('disconnect', () => app.quit())
})
