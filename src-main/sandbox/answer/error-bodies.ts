import type { Behaviour } from '../contracts/behaviour.ts'

const asHtml = (text: string) =>
  text.replace(/[&<>]/g, (value) => (value === '&' ? '&amp;' : value === '<' ? '&lt;' : '&gt;'))

/** What an answer other than 200 carries, in each of the forms seen (field notes: answers and failures). */
export function errorBody(
  form: Behaviour['errorBodies'],
  status: number,
  words: string,
): { readonly contentType: string; readonly text: string } {
  const json = (data: unknown) => ({ contentType: 'application/json', text: JSON.stringify(data) })
  switch (form) {
    case 'error-text':
      return json({ error: words })
    case 'error-object':
      return json({ error: { code: status, message: words } })
    case 'message':
      return json({ message: words })
    case 'html':
      return {
        contentType: 'text/html; charset=utf-8',
        text: `<!doctype html><title>${status}</title><h1>${status}</h1><p>${asHtml(words)}</p>`,
      }
    case 'empty':
      return { contentType: 'text/plain', text: '' }
  }
}
