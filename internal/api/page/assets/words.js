// What codes mean, in plain words.

const sources = {
  image: 'Read off the photo',
  local_db: 'Known to the catalogue',
  google_search: 'Found on the web',
};

const has = (r, warning) => (r.warnings || []).includes(warning);

/**
 * unidentified is true of a result that nobody identified. Its source is
 * google_search, as the seed wants it, whether the web was searched or not: it is
 * never shown.
 */
export const unidentified = (r) => has(r, 'unidentified');

/** source says what identified the product. */
export function source(r) {
  if (r.error === 'analysis_failed') return 'Not analysed';
  if (r.error) return 'No product';
  return unidentified(r) ? 'Not identified' : sources[r.source] || r.source;
}

export const warnings = {
  unidentified: 'The product was not identified: names are only what was read on the photo.',
  unconfirmed_record: 'The catalogue learnt this product from an earlier web search, and no person has confirmed it.',
  queries_exceeded: 'More than three web searches were made for this photo; all of them are charged.',
  category_not_english: 'The category is not in English.',
  few_features: 'Fewer than eight features were found.',
  features_repeated: 'Two of the features said the same; one was left out.',
  multiple_products: 'The photo shows more than one product; this is the most prominent.',
  gtin_conflict: 'The catalogue has another brand for this barcode than the pack shows.',
  judgement_refused: 'The stronger model would not judge this photo.',
  search_refused: 'The model would not search the web for this photo.',
  name_unsupported: 'No print on the pack holds this name.',
  brand_unsupported: 'No print on the pack holds this brand.',
  date_unsupported: 'The expiry date stands in no print that was read, and was dropped.',
  date_conflict: 'A code on the pack and the print name different expiry dates.',
  date_unlabelled: 'No words beside the date say that it is an expiry date.',
  date_ambiguous: 'The expiry date can be read in several ways.',
  date_computed: 'The expiry date is computed from the day of production and the shelf life; it is not printed.',
  date_refused: 'What is labelled as an expiry date is none.',
  prompt_injection: 'Print on the photo speaks to machines, not to shoppers; it was not counted as evidence.',
  given_up: 'Attempts came to nothing, or a model was down for a day; a replay tries the photo again.',
  not_saved: 'The catalogue could not be reached to learn this product.',
  unknown_country: 'The photo’s country is no country code; the default was used.',
  unknown_lang: 'The photo’s language is no language tag; the default was used.',
  model_fallback: 'The configured model is gone; its replacement answered.',
  queries_exceeded: 'More than three web queries were run for this photo; each was paid for.',
  price_unknown: 'A model has no price in the table, so the cost is too low.',
  spend_unsaved: 'The cost could not be added to the day’s sum.',
  emulated_model: 'The answer comes from the emulated model.',
  emulated_speech: 'The emulated model speaks: a machine voice, or tones.',
};

// What facets are called; one that is not here is called as it is.
export const facetNames = {
  category: 'Kind', gender: 'For', brand: 'Brand', color: 'Colour', frameMaterial: 'Material', frameShape: 'Shape', name: 'Name', price: 'Price', stock: 'Stock',
};

export const intents = {
  search_product: 'Search', filter_by_feature: 'Filter', recommendation_request: 'Recommendation', product_detail: 'One product',
  compare_products: 'Comparison', faq_about_material: 'About materials', availability_check: 'In stock?', product_category_stats: 'How many', unknown: 'Not a search',
};

export const searchTypes = { text: 'By words', image: 'By picture', combined: 'By words and picture' };

export const searchWarnings = {
  intent_by_code: 'The model did not answer: the words were read by rules alone.',
  text_search_failed: 'The words could not be compared: the picture alone counts.',
  image_search_failed: 'The picture could not be compared: the words alone count.',
  image_search_unavailable: 'The embedding model of this catalogue takes no pictures: the words alone count.',
  irrelevant_image: 'The picture shows nothing that is sold here.',
  not_exact: 'No product is called exactly so: these come nearest.',
};

// What the fields that rest on evidence are called, in the order in which they are shown.
export const fields = { product_name: 'Name', brand: 'Brand', expiration_date: 'Expiry', gtin: 'GTIN' };

export const kinds = {
  best_before: 'Best before', use_by: 'Use by', expiry: 'Expires', production: 'Made', period_after_opening: 'Once opened', '': 'Dated',
};

export const precisions = { day: 'to the day', month: 'to the month', year: 'to the year' };

export const suspicions = {
  brand_overextended: 'the brand may include a product line',
  confusable_hangul: 'letters that are easily mistaken for others',
  overconfident: 'surer than the print allows',
  name_unread: 'the name does not stand in the print',
  unknown_product: 'the model knows no such product',
};

export const outcomes = {
  image: 'from the photo', local_db: 'from the catalogue', google_search: 'from the web', unidentified: 'not identified',
  no_product: 'no product', failed: 'failed', cancelled: 'cancelled',
};

export const states = {
  expanding: 'Handing out the photos', running: 'Running', cancelling: 'Cancelling',
  done: 'Done', cancelled: 'Cancelled', failed: 'Failed',
};

export const forecastTypes = {
  current: 'Now', today: 'Today', tomorrow: 'Tomorrow', weekend: 'Weekend', hours: 'Next hours',
};

export const weatherWarnings = {
  emulated_weather: 'The weather comes from the emulated service: it is made up.',
  written_by_template: 'The model’s text named what the weather data does not hold: this sentence is made by code.',
  language_unchecked: 'The words of this language could not be held to the weather data.',
  stale: 'Nothing newer can be had: this forecast is an older one.',
  speech_failed: 'There is no sound of it yet.',
};

export const sectors = {
  afolu: 'Agriculture, forestry and land use', ippu: 'Industrial processes and product use', stationary_energy: 'Stationary energy', transportation: 'Transport', waste: 'Waste',
};

export const discoveryStates = { working: 'Working', cancelling: 'Stopping', done: 'Done', canceled: 'Stopped', failed: 'Failed' };

// How a run of the discovery ended.
export const discoveryEnds = {
  accept: 'The reviewer accepts what was found.', reject: 'The reviewer rejects what was found.', exhausted: 'Nothing is left to search.', limit: 'A limit was reached.',
  canceled: 'It was stopped: this is what had been found.', failed: 'It could not go on: this is what had been found.', not_on_emulated_web: 'The emulated web has no such place.',
};

// The agents of a discovery, and what they are doing.
export const phases = {
  planner: ['Planner', 'Planning the search'], researcher: ['Researcher', 'Searching'], fetch: ['Researcher', 'Reading pages'], raw_review: ['Reviewer of pages', 'Choosing pages'],
  extractor: ['Extractor', 'Extracting records'], reviewer: ['Reviewer', 'Reviewing the records'], deep_diver: ['Deep diver', 'Following links'], over: ['End', 'Over'],
};

export const tiers = {
  unfccc: 'UNFCCC', government: 'Government', statistics: 'Statistics office', database: 'Database', university: 'University', local_government: 'Local government', ngo: 'NGO', news: 'News', other: 'Other',
};

// What a cell of the coverage says.
export const cells = { published: 'Published', NE: 'Not estimated', NO: 'Not occurring', not_found: 'Not found' };

// What each gate keeps out of a result.
export const gates = {
  relevance: 'Search results that promise nothing',
  address: 'Addresses that no page had shown',
  query: 'Queries that a page may have asked for',
  fetch: 'Pages that could not be read',
  raw_review: 'Pages without data, as the reviewer judges',
  extractor: 'Pages without a usable answer',
  quote: 'The page does not hold the quote',
  place: 'About another place',
  sector: 'About another sector',
  years: 'Years that the page does not hold',
  publisher: 'No publisher of inventories',
  marked_wrong: 'Marked wrong by a person',
  reviewer: 'Records that the reviewer rejects',
};

export const discoveryWarnings = {
  no_plan: 'The planner gave no usable plan: only the portals of official publishers were read.',
  no_search_key: 'The service has no key of a search engine: only the portals of official publishers were read.',
  search_quota: 'The search engine refused further queries: some of the plan was not searched.',
  relevance_unjudged: 'Some search results were opened although no model had judged them.',
  emulated_web: 'The web that was searched is emulated: nothing of this is true.',
  since_gone: 'The earlier run is gone: nothing was compared with it.',
  no_locode: 'The city has no UN/LOCODE here, for no list of them is at hand.',
};

const remedies = {
  empty: 'The file holds nothing: choose another.',
  not_an_image: 'Send a photo: JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF.',
  unsupported_format: 'Save it as JPEG or PNG and send that.',
  truncated: 'The file is not whole: copy it again from where it came.',
  corrupt: 'The file is damaged: copy it again from where it came.',
  too_many_bytes: 'Send a smaller one: at most 30 MiB.',
  too_many_pixels: 'Send a smaller one: at most 100 megapixels.',
  bad_search: 'Change the search, and try again.',
  search_off: 'Searching needs a catalogue: the README says how to fill one.',
  product_not_found: 'It may have left the catalogue: search again.',
  bad_option: 'Look at the options and correct them.',
  model_blocked: 'The model refuses this photo. Another angle may help.',
  model_quota: 'The model’s quota is used up for now: wait a little.',
  model_budget: 'The day’s budget is spent; it begins anew at midnight UTC.',
  busy: 'Others are being served: wait a moment, then try again.',
  unreachable: 'Check the connection, then try again.',
  cut: 'The connection may be poor: try again.',
  bad_place: 'Name a city, as Paris, FR, or a latitude and a longitude, as 37.57,126.98.',
  place_not_found: 'Look how it is written, or add its country.',
  ambiguous_place: 'Add its state or country.',
  bad_forecast_option: 'Look at the options and correct them.',
  forecast_too_far: 'Ask for tomorrow, or again later.',
  bad_message: 'Say it in fewer words.',
  speech_failed: 'The text stands as it is: try again in a while.',
  session_not_found: 'Conversations are forgotten after a while: begin anew.',
  session_foreign: 'It is somebody else’s conversation: begin anew.',
  session_busy: 'The message before is still being answered: wait a moment.',
  session_too_large: 'The conversation has grown too long: begin anew.',
  weather_quota: 'The weather service’s quota is used up for now: wait a little.',
  weather_unavailable: 'The weather service does not do what it should: try again in a while.',
  weather_timeout: 'The weather service takes too long: try again.',
  bad_discovery: 'Change it, and begin again.',
  discovery_not_found: 'Runs are forgotten after a while: the list has the latest.',
  record_not_found: 'Load the result again: the record may have another key now.',
  discovery_unfinished: 'Wait until the run is over.',
  timeout: 'Try again.',
  bad_review: 'Change it, and send it again.',
  not_reviewed: 'Somebody has taken it back already.',
  review_busy: 'Somebody else says something of the same product: try again.',
  result_busy: 'Wait some seconds, then try again.',
  result_not_found: 'It may have been forgotten: look at the latest results.',
  record_not_found: 'It may have been deleted: look at the catalogue.',
};

/** remedy is what to do about a problem. */
export const remedy = (code) => remedies[code] || 'Try again. If it stays, the log of the service says more.';
