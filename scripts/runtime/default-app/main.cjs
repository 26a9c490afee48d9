/**
 * Does what Electron's own default app does: `electron <folder> …` opens the app in that folder, under that app's
 * name and version. The runtime it is put into came without one.
 */
const { readFileSync } = require('node:fs')
const { join, resolve } = require('node:path')
const { app } = require('electron')

const preload = ['-r', '--require']
let folder = ''
for (let index = 1; index < process.argv.length; index += 1) {
  const argument = process.argv[index] ?? ''
  if (preload.includes(argument)) {
    index += 1
    require(resolve(process.argv[index] ?? ''))
  } else if (!argument.startsWith('-')) {
    folder = resolve(argument)
    break
  }
}
if (folder === '') {
  process.stderr.write('Name the folder of an app to open.\n')
  process.exit(1)
}

const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true })
app.setName(description.productName ?? description.name)
// Not in Electron's types: its own default app calls them too.
Reflect.get(app, 'setVersion').call(app, description.version)
Reflect.get(app, 'setAppPath').call(app, folder)
require(join(folder, description.main ?? 'index.js'))
