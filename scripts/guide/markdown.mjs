import { readFileSync } from 'node:fs'
import { Marked } from 'marked'

/** Chapters stand below the heading of their view. */
const guide = new Marked({
  walkTokens: (token) => {
    if (token.type === 'heading') token.depth += 1
  },
})

/**
 * Makes HTML of the user's guide when the app is built, so that nothing is parsed in the window: a chapter is a module whose default export is
 * its HTML, with pictures at the addresses that the build gives them.
 * @returns {import('vite').Plugin}
 */
export const guideChapters = () => ({
  name: 'guide-chapters',
  enforce: 'pre',
  load(id) {
    if (!/\/docs\/guide\/[^/]+\.md$/.test(id)) return null
    const html = guide.parse(readFileSync(id, 'utf8'), { async: false })
    /** @type {string[]} */
    const pictures = []
    const text = JSON.stringify(html).replace(/src=\\"([^"\\]+)\\"/g, (_, path) => {
      pictures.push(path)
      return `src=\\"" + picture${pictures.length - 1} + "\\"`
    })
    const imports = pictures.map((path, at) => `import picture${at} from ${JSON.stringify(path)}\n`)
    return `${imports.join('')}export default ${text}\n`
  },
})
