// What the agents do, step by step, as it arrives.

import { cut, duration, el, number, plural } from './dom.js';
import { facetNames, intents, searchTypes, source } from './words.js';

const titles = {
  intent_classifier: 'Understands the words', intent_router: 'Decides what is asked', attribute_extractor: 'Finds the filters',
  embed_query: 'Measures words and picture', semantic_search: 'Searches the catalogue', format_response: 'Writes the answer',
  image_analyzer: 'Reads the photo', rag_agent: 'Decides what to believe', search_local_db: 'Asks the catalogue',
  weather_agent: 'Leads the conversation', weather_studio_team: 'Has it written and spoken', get_forecast_from_cache: 'Looks for a fresh forecast', cache_forecast: 'Keeps the forecast',
  get_cache_stats: 'Counts the kept forecasts', set_session_value: 'Notes it down', get_current_timestamp: 'Looks at the clock',
  google_search: 'Asks the web', save_to_local_db: 'Saves to the catalogue', model: 'Looks again, with a stronger model',
};

/** steps is a list that add() adds an event to; say is told of each in a sentence. */
export function steps(say) {
  const node = el('ol', { class: 'steps', 'aria-label': 'Steps' });
  const open = new Map(); // by agent or tool
  let tool = null;

  function begin(name, e, shown) {
    const step = row(name, e, shown);
    open.set(name, step);
    node.append(step.node);
    say(titles[name] || name);
    return step;
  }

  const on = {
    started(e) { begin(e.author, e, ''); },
    tool_call(e) { tool = begin(e.tool, e, argumentsOf(e)); },
    tool_result(e) {
      open.get(e.tool)?.end(e, e.error || answerOf(e));
      tool = null;
    },
    usage(e) {
      const own = tool || (e.author === 'rag_agent' ? begin('model', e, e.usage?.model) : open.get(e.author));
      own?.spend(e.usage || {});
      if (own === open.get('model')) own?.end(e, '');
    },
    finished(e) { open.get(e.author)?.end(e, outputOf(e)); },
  };

  return {
    node,
    add(e) { if (titles[e.author]) on[e.kind]?.(e); },
    stop() { for (const step of open.values()) step.stop(); },
  };
}

/** row is one step: what, with what, what came of it, what it took. */
function row(name, begun, shown) {
  const detail = el('p', {}, shown);
  const took = el('span', { class: 'took' });
  const node = el('li', { class: begun.kind === 'started' ? 'running' : 'running inner' },
    el('p', { class: 'what' }, el('strong', {}, titles[name] || name), ' ', name !== 'model' && el('code', {}, name), took), detail);
  let tokens = 0;
  let seconds = 0;
  const tell = () => { took.textContent = [tokens && `${number(tokens)} tokens`, seconds && duration(seconds)].filter(Boolean).join(' · '); };
  return {
    node,
    spend(usage) { tokens += usage.total_tokens || 0; tell(); },
    end(e, text) {
      seconds = (new Date(e.time) - new Date(begun.time)) / 1000;
      node.classList.replace('running', e.error ? 'failed' : 'done');
      if (text) detail.append(shown ? el('br') : '', text);
      tell();
    },
    stop() { node.classList.replace('running', 'stopped'); },
  };
}

function argumentsOf({ tool, data }) {
  if (!data) return '';
  if (tool === 'search_local_db') return cut((data.key_features || []).join(' · '), 140);
  if (tool === 'google_search') return data.refined ? cut(data.refined, 140) : 'with the photo, in the model’s own words';
  if (tool === 'set_session_value') return cut(`${data.key}: ${data.value}`, 140);
  return cut(data.product_name || data.city || data.request || JSON.stringify(data), 140);
}

function answerOf({ tool, data = {} }) {
  if (tool === 'search_local_db' && data.found) {
    return `${plural(data.results.length, 'candidate')}: ${data.results.map((c) => `${c.product_name} ${c.score.toFixed(2)}`).join(', ')}`;
  }
  if (tool === 'google_search' && !data.queries?.length) return 'The model made no search.';
  if (tool === 'google_search') return `${plural((data.sources || []).length, 'source')} for “${cut(data.queries.join('”, “'), 140)}”`;
  if (tool === 'save_to_local_db') return data.saved ? 'saved, as unconfirmed' : `not saved: ${data.code}`;
  if (tool === 'get_forecast_from_cache') return data.cached ? 'a fresh one is there' : data.message || 'none is there';
  return data.message || '';
}

// What each step of a search has come to.
const searching = {
  intent_classifier: (data) => intents[data.intent] || '',
  intent_router: (data) => data,
  attribute_extractor: (data) => Object.entries(data).map(([facet, value]) => `${facetNames[facet] || facet}: ${typeof value === 'string' ? value.replaceAll('_', ' ') : JSON.stringify(value)}`).join(' · '),
  embed_query: (data) => searchTypes[data] || '',
  semantic_search: (data) => plural(data.products?.length || 0, 'product'),
  format_response: (data) => data.summary,
};

function outputOf({ author, data }) {
  if (!data) return '';
  if (data.error) return data.description || data.error;
  if (searching[author]) return searching[author](data);
  if (author === 'rag_agent') return source(data);
  const named = [data.brand, data.product_name].filter(Boolean).join(', ');
  return [named || 'no name', plural((data.visible_text || []).length, 'line') + ' of print'].join(' · ');
}
