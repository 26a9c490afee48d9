/** Loaded into the main process before the app: says on standard error when a window is brought to the front. */
const { BrowserWindow } = require('electron')

const { focus } = BrowserWindow.prototype

/** @this {import('electron').BrowserWindow} */
BrowserWindow.prototype.focus = function focusAndSay() {
  process.stderr.write('Brought to the front\n')
  focus.call(this)
}
