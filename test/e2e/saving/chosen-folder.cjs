/** Loaded into the main process before the app: whoever is asked for a folder chooses the one in CHOSEN_FOLDER. */
const { dialog } = require('electron')

dialog.showOpenDialog = () =>
  Promise.resolve({ canceled: false, filePaths: [process.env['CHOSEN_FOLDER'] ?? ''] })
