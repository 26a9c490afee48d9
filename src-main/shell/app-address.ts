/** The scheme under which the app's own pages are served. Not `file:`, so that it has an origin and a policy. */
export const appScheme = 'traffic-desk-app'

/** The origin of every page of the app. */
export const appOrigin = `${appScheme}://desk`

export const windowAddress = `${appOrigin}/index.html`

/** A plain page without scripts, for when a view keeps crashing. */
export const safeAddress = `${appOrigin}/safe.html`
