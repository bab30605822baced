// Photos on their way: made smaller where they must be, with a thumbnail, and remembered until they are answered.

const sendable = 7e6; // bytes that a model takes as they are
const longestSide = 3072; // of which a model sees no more
const thumbnail = { side: 320, bytes: 30000 };

/** jpeg is a picture within a square, as a JPEG of at most so many bytes, without metadata. */
async function jpeg(file, side, bytes) {
  const picture = await createImageBitmap(file);
  try {
    return await fit(picture, side, bytes);
  } finally {
    picture.close(); // or its pixels, 4 bytes each, stay until the browser collects them
  }
}

async function fit(picture, side, bytes) {
  for (let scale = Math.min(1, side / Math.max(picture.width, picture.height)); ; scale *= 0.75) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    const paint = canvas.getContext('2d');
    paint.fillStyle = '#fff'; // behind what is transparent
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.imageSmoothingQuality = 'high';
    paint.drawImage(picture, 0, 0, canvas.width, canvas.height);
    for (const quality of [0.9, 0.75, 0.5]) {
      const blob = await new Promise((done) => { canvas.toBlob(done, 'image/jpeg', quality); });
      if (blob.size <= bytes) return blob;
    }
  }
}

/** small is a thumbnail of file, which the service keeps with the result; null where the browser cannot read the picture. */
export const small = (file) => jpeg(file, thumbnail.side, thumbnail.bytes).catch(() => null);

/** fitted is file as it is, for its bytes are what the service knows it by, or smaller where no model would take it. */
export async function fitted(file) {
  if (file.size <= sendable) return file;
  const smaller = await jpeg(file, longestSide, sendable).catch(() => null);
  return smaller ? new File([smaller], file.name, { type: smaller.type }) : file;
}

const store = 'running';
const forgotten = 3600e3; // ms after which what was left by a closed tab is deleted

/** run does something in the store of this browser. */
async function run(mode, action) {
  const opened = indexedDB.open('whatis', 1);
  opened.onupgradeneeded = () => opened.result.createObjectStore(store, { keyPath: 'key' });
  const db = await answer(opened);
  try {
    return await answer(action(db.transaction(store, mode).objectStore(store)));
  } finally {
    db.close();
  }
}

const answer = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });

/** remember keeps the question of a tab until it is forgotten: {key, tab, files, options}. Without a store nothing is kept. */
export const remember = (question) => run('readwrite', (s) => s.put({ ...question, at: Date.now() })).catch(() => {});

export const forget = (key) => run('readwrite', (s) => s.delete(key)).catch(() => {});

/** remembered are the questions of a tab, and deletes those that others have left long ago. */
export async function remembered(tab) {
  const all = await run('readonly', (s) => s.getAll()).catch(() => []);
  for (const old of all) if (Date.now() - old.at > forgotten) forget(old.key);
  return all.filter((q) => q.tab === tab);
}
