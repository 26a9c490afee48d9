import type { MadePage } from './app-scheme.ts'

export const troublePath = '/trouble.html'

const stylesPath = '/trouble.css'

/** Why the desk cannot open: a heading, and what to do about it. */
export type Trouble = { readonly title: string; readonly text: string }

/** The page, and its styles apart from it, since nothing inline is allowed. Needs no script, no store and no bridge. */
export function troublePages({ title, text }: Trouble): ReadonlyMap<string, MadePage> {
  return new Map([
    [troublePath, { type: 'text/html; charset=utf-8', body: page(escaped(title), escaped(text)) }],
    [stylesPath, { type: 'text/css; charset=utf-8', body: styles }],
  ])
}

const page = (title: string, text: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
    <link rel="stylesheet" href="${stylesPath}">
  </head>
  <body>
    <main role="alert">
      <h1>${title}</h1>
      <p>${text}</p>
    </main>
  </body>
</html>
`

const styles = `:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
`

/** A folder's name may be anything, and an error's words too. */
function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
