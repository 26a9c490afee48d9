import { clickParameters } from '#shared/archives/rows.ts'

const clickParameter = new RegExp(`[?&#](?:${clickParameters})=([^?&# ]+)`, 'i')

/** Returns the first click ID in a link, or ''. The link may be percent-encoded inside another. */
export const clickIdIn = (link: string): string =>
  clickParameter.exec(
    link.replaceAll(/%3f/gi, '?').replaceAll('%26', '&').replaceAll(/%3d/gi, '=').replaceAll('%23', '#'),
  )?.[1] ?? ''
