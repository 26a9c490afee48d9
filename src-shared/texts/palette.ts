import type { Dimension, Family } from '../api/dimensions.ts'
import type { ComparisonPreset, Preset } from '../views/period.ts'

/**
 * Search phrases for palette entries, by id, without words in `fillers`. An entry's own text and the names of
 * dimensions are found without phrases.
 */
export const synonyms: Readonly<Record<string, readonly string[]>> = {
  'command:refresh': ['reload', 'update figures', 'get newer figures', 'fetch again', 'load again', 'sync'],
  'command:find': ['find', 'search this table', 'filter rows', 'look for row'],
  'command:save-view': ['bookmark', 'save this view', 'pin view', 'favourite', 'favorite', 'keep view'],
  'command:export': [
    'csv',
    'json',
    'clipboard',
    'copy table',
    'export csv',
    'export json',
    'export parquet',
    'download table',
    'save table',
    'save csv',
    'workbook',
    'export workbook',
  ],
  'command:raw-rows': ['get raw rows', 'raw data request', 'ask for rows', 'evidence rows'],
  'command:copy-link': ['share', 'share view', 'link', 'url', 'copy url', 'deep link'],
  'command:lock': ['lock screen', 'lock window', 'lock traffic desk', 'sign out', 'log out', 'logout'],
  'command:overview': ['home', 'start', 'dashboard', 'summary', 'totals'],
  'command:accounts': [
    'accounts',
    'compare accounts',
    'clients',
    'all clients',
    'every account',
    'worst account',
  ],
  'command:reports': ['tables', 'report list'],
  'command:raw': ['raw data', 'requested reports', 'report list', 'exports of service'],
  'command:rows': ['archives', 'log', 'click log', 'addresses', 'ips', 'search archives', 'recount'],
  'command:cases': ['evidence', 'claims', 'disputes', 'refund', 'refunds', 'evidence packs', 'case list'],
  'command:findings': ['alerts', 'inbox', 'got worse', 'anomalies', 'warnings list', 'alert list', 'mute'],
  'command:today': ['morning', 'daily summary', 'briefing', 'yesterday against usual'],
  'command:schedules': ['schedule list', 'scheduled', 'regular reports', 'recurring', 'automatic reports'],
  'do:new-schedule': ['schedule', 'every monday', 'weekly report', 'monthly report', 'automate', 'recurring'],
  'do:new-alert': ['alert', 'watch', 'tell me', 'threshold', 'monitor', 'notify me'],
  'command:downloads': ['files', 'saved files', 'download list'],
  'command:settings': ['preferences', 'options', 'configuration', 'config'],
  'command:back': ['go back', 'previous view', 'undo'],
  'command:forward': ['next view'],
  'command:guide': ['help', 'manual', 'documentation', 'docs', 'how to', 'user guide'],
  'command:words': ['glossary', 'meaning', 'definitions', 'what bad means', 'what suspect means', 'terms'],
  'command:keys': ['shortcuts', 'hotkeys', 'help shortcuts', 'keyboard help', 'key bindings', 'keys'],
  'command:tour': ['introduction', 'intro', 'getting started', 'onboarding'],
  'command:happened': ['messages', 'notifications', 'history of messages', 'activity log'],
  'command:about': [
    'version',
    'licences',
    'licenses',
    'problem report',
    'bug report',
    'report problem',
    'check updates',
    'updates',
    'software update',
  ],
  'do:export-pdf': [
    'pdf',
    'export pdf',
    'save pdf',
    'make pdf',
    'create pdf',
    'print',
    'client pdf',
    'pdf client',
    'client report',
    'report for client',
    'send to client',
  ],
  'do:export-xlsx': [
    'excel',
    'xlsx',
    'xls',
    'export excel',
    'save to excel',
    'export xlsx',
    'spreadsheet',
    'export sheet',
    'sheet',
  ],
  'do:export-report': [
    'whole report',
    'one workbook',
    'report workbook',
    'workbook with charts',
    'excel with charts',
  ],
  'do:save-chart': ['png', 'save chart', 'export chart', 'chart picture', 'save picture', 'picture', 'image'],
  'do:keep-offline': ['offline', 'save offline', 'take offline', 'train', 'plane', 'available offline'],
  'do:offline-days': ['offline', 'offline state', 'saved offline', 'how many days offline', 'keep offline'],
  'do:stop-offline': ['remove offline', 'delete offline', 'offline off', 'not offline'],
  'do:new-case': [
    'case',
    'start case',
    'open case',
    'begin case',
    'create case',
    'new evidence',
    'evidence pack',
    'new evidence pack',
    'claim',
    'new claim',
    'refund claim',
    'dispute',
  ],
  'do:block-list': [
    'block list',
    'blocklist',
    'blacklist',
    'blocked list',
    'exclusion list',
    'block addresses',
    'block ips',
    'ip block list',
    'google ads exclusions',
    'firewall',
  ],
  'do:new-token': [
    'token',
    'access token',
    'new token',
    'change token',
    'change access token',
    'replace token',
    'renew token',
    'update token',
    'enter token',
    'token expired',
    'api key',
    'key expired',
  ],
  'do:back-up': ['backup', 'make backup', 'save backup', 'create backup', 'back up everything', 'zip'],
  'do:restore': [
    'restore',
    'restore backup',
    'import backup',
    'load backup',
    'open backup',
    'move computer',
    'new computer',
  ],
  'do:add-file': [
    'import',
    'import file',
    'open file',
    'open archive',
    'import archive',
    'import csv',
    'import log',
    'open zip',
    'add archive',
    'read file',
  ],
  'do:new-raw-report': [
    'request raw report',
    'request report',
    'ask raw report',
    'raw report',
    'order raw report',
    'create raw report',
    'download raw data',
  ],
  'do:add-account': [
    'add account',
    'new account',
    'connect',
    'connect account',
    'add client',
    'new client',
    'another account',
    'sign in',
    'log in',
    'login',
  ],
  'do:worst-sources': ['worst sources', 'worst partners', 'ranking'],
  'do:moved': [
    'movers',
    'changes',
    'which source got worse',
    'got better',
    'biggest changes',
    'what changed',
    'moved most',
    'trend',
  ],
  'do:explain': ['why', 'why worse', 'why changed', 'explain', 'explanation', 'cause', 'reason'],
  'compare:period-before': [
    'compare',
    'comparison',
    'compare previous period',
    'previous period',
    'compare before',
    'change over time',
  ],
  'compare:none': ['no comparison', 'end comparison', 'compare nothing', 'stop comparison', 'comparison off'],
  'theme:dark': ['dark', 'dark mode', 'dark theme', 'night mode', 'dark colours', 'dark colors', 'black'],
  'theme:light': ['light', 'light mode', 'light theme', 'day mode', 'white'],
  'theme:system': ['system theme', 'automatic theme'],
  'density:compact': ['compact', 'small rows', 'dense', 'more rows', 'tight'],
  'density:comfortable': ['comfortable', 'large rows', 'roomy', 'more space'],
  'toggle:chart': ['chart', 'graph', 'diagram', 'plot', 'line chart'],
  'toggle:rates': ['rates', 'percentages', 'percent columns', 'rate columns'],
  'toggle:rules': ['rules', 'rule sets', 'rule set columns', 'why bad'],
  'settings:accounts': ['remove account', 'delete account', 'edit account', 'rename account', 'time zone'],
  'settings:appearance': [
    'theme',
    'language',
    'number format',
    'date format',
    'locale',
    'font',
    'density',
    'colours',
    'colors',
  ],
  'settings:storage': ['disk', 'disk space', 'storage', 'free space', 'delete figures', 'cache', 'limit'],
  'settings:publish': ['publish', 'parquet', 'share history', 'team folder', 'network share'],
  'settings:sources': ['sources per table', 'requests per table', 'calls per table', 'calls'],
  'settings:files': ['download folder', 'downloads folder', 'folder', 'where files are saved'],
  'settings:pdf': ['logo', 'brand', 'branding', 'letterhead', 'accent colour', 'accent color'],
  'settings:backup': ['backup settings'],
  'settings:raw': ['file names', 'save automatically', 'polling', 'automatic downloads'],
  'settings:startup': ['autostart', 'start login', 'tray', 'start automatically', 'background', 'quit'],
  'settings:lock': ['passphrase', 'password', 'lock settings', 'privacy', 'screen lock', 'lock after'],
}

/** Words without a meaning of their own, ignored anywhere in the input. */
export const fillers: ReadonlySet<string> = new Set(
  `a all an and are at by can do does figures find for from give go have how i in into is it list me my need now of on
   open our please rate rates see show than that the their them there these this to up us view want was we were what
   when where which who with you`.split(/\s+/),
)

/** Words beside a name that are implied, because every result is about figures. */
export const remarks: ReadonlySet<string> = new Set(
  'figures numbers percentage rate rates report reports requests share table traffic data stats statistics'.split(
    ' ',
  ),
)

/** Additional names of periods. */
export const saidPeriods: Readonly<Partial<Record<Preset, readonly string[]>>> = {
  'last-7-days': ['7 days', 'past 7 days', 'past week', 'seven days'],
  'last-28-days': ['28 days', 'past 28 days', 'four weeks', '4 weeks', 'last 4 weeks', 'last four weeks'],
  'this-week': ['current week'],
  'last-week': ['previous week', 'week before'],
  'this-month': ['current month', 'month to date'],
  'last-month': ['previous month', 'month before'],
  'this-quarter': ['current quarter'],
  'last-quarter': ['previous quarter'],
}

/** Words that start a comparison. */
export const compareWords: ReadonlySet<string> = new Set(
  'compare compared comparing comparison versus vs against'.split(' '),
)

/** Words between the two periods of a comparison. */
export const betweenWords: ReadonlySet<string> = new Set('with to and against than vs versus'.split(' '))

/** Additional names of comparisons. */
export const saidComparisons: Readonly<Record<ComparisonPreset, readonly string[]>> = {
  none: ['nothing'],
  'period-before': ['period before', 'previous period', 'days before', 'before'],
  'week-before': ['week before', 'a week before', 'a week ago', 'week ago', 'same days a week before'],
  'year-before': [
    'year before',
    'last year',
    'a year ago',
    'year ago',
    'same days a year before',
    'previous year',
  ],
}

/** Additional names of dimensions and their rows. */
export const saidDimensions: Readonly<Record<Dimension, readonly string[]>> = {
  sessions: ['sites', 'site', 'properties', 'property'],
  sources: ['partners', 'partner', 'publishers', 'publisher', 'suppliers', 'supplier', 'traffic sources'],
  campaigns: [],
  browsers: [],
  'operating-systems': ['os', 'oses', 'systems'],
  devices: ['manufacturers', 'manufacturer', 'makers', 'brands'],
  'device-types': ['device kinds', 'types of device'],
  geography: ['countries', 'country', 'geo', 'geos', 'locations', 'location'],
  networks: ['isp', 'isps', 'carriers', 'carrier', 'providers', 'provider'],
  connections: ['connection types'],
  referrers: ['referers', 'referer', 'referring sites', 'hosts', 'domains', 'domain'],
}

/** Label of a dimension's value. */
export const valueWords: Readonly<Record<Dimension, string>> = {
  sessions: 'Instance',
  sources: 'Source',
  campaigns: 'Campaign',
  browsers: 'Browser',
  'operating-systems': 'Operating system',
  devices: 'Manufacturer',
  'device-types': 'Device type',
  geography: 'Country',
  networks: 'Network',
  connections: 'Connection',
  referrers: 'Referrer',
}

/** Phrases for a ranking. A null family or header means the main count; `first` is the order. */
type Said = {
  readonly said: readonly string[]
  readonly family: Family | null
  readonly header: string | null
  readonly first: 'highest' | 'lowest'
}

export const saidRankings: readonly Said[] = [
  {
    said: ['bad', 'fraud', 'fraudulent', 'invalid', 'bot', 'bots', 'fake'],
    ...{ family: 'script', header: 'Bad', first: 'highest' },
  },
  { said: ['warning', 'warnings'], ...{ family: 'script', header: 'Warning', first: 'highest' } },
  { said: ['good', 'clean'], ...{ family: 'script', header: 'Good', first: 'highest' } },
  { said: ['suspect', 'suspicious'], ...{ family: 'direct', header: 'Suspect', first: 'highest' } },
  { said: ['worst', 'dirtiest'], ...{ family: null, header: null, first: 'highest' } },
  { said: ['best', 'cleanest'], ...{ family: null, header: null, first: 'lowest' } },
]

/** Words for the largest rows. */
export const largestWords: ReadonlySet<string> = new Set('top biggest largest most'.split(' '))

/** Country codes of ISO 3166-1 alpha-2. */
export const countryCodes =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
 CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB
 GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
 KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX
 MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE
 SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC
 VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/)
