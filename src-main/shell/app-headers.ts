/**
 * What pages of the app may do: show what was built with them, and nothing else. Styles that scripts set on elements go
 * through the object model, which the policy allows; nothing inline is needed.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The headers of every answer of the app's own scheme. None says which windows may open this one (Cross-Origin-Opener-Policy):
 * no window may, by the guards, and the browser would start a second process for the page and end the first.
 */
export const appHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const
