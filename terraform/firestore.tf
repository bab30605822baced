# An emulator never asks for an index; production refuses a query without one.
#
# An equality needs an index with nothing else, and the indexes of single fields
# are merged for any number of equalities: the catalogue's look-ups by GTIN, name
# and brand and all of a batch's need no more. An order, a sum or a vector beside an
# equality does.
#
# By default Firestore has two indexes for every field, and a write pays for all of them
# in time and storage. Here only the fields that a query needs have one.
locals {
  # Each index: its collection, its fields in order, of which CONTAINS is a list, and the vector behind them.
  indexes = {
    # The results of photos by one of their terms (a brand, a code, a word, a verdict, a source …), and by one beside a source or a doubt.
    work_by_term = {
      collection = "work"
      fields     = [["terms", "CONTAINS"], ["finished_at", "DESCENDING"]]
      vector     = null
    }
    work_by_term_and_source = {
      collection = "work"
      fields     = [["terms", "CONTAINS"], ["source", "ASCENDING"], ["finished_at", "DESCENDING"]]
      vector     = null
    }
    work_by_term_and_doubt = {
      collection = "work"
      fields     = [["terms", "CONTAINS"], ["doubt", "ASCENDING"], ["finished_at", "DESCENDING"]]
      vector     = null
    }
    work_by_term_and_expiry = {
      collection = "work"
      fields     = [["terms", "CONTAINS"], ["expires", "ASCENDING"]]
      vector     = null
    }
    work_by_batch = {
      collection = "work"
      fields     = [["batch", "ASCENDING"], ["finished_at", "DESCENDING"]]
      vector     = null
    }
    # The result cache: the newest result of a key.
    work_by_cache_key = {
      collection = "work"
      fields     = [["cache_key", "ASCENDING"], ["finished_at", "DESCENDING"]]
      vector     = null
    }
    # The sum of a day's usd.
    spend_by_day = {
      collection = "spend"
      fields     = [["day", "ASCENDING"], ["usd", "ASCENDING"]]
      vector     = null
    }
    products_nearest = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder", "ASCENDING"]]
      vector     = { field = "embedding", dimension = 768 }
    }
    products_nearest_of_brand = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder", "ASCENDING"], ["brand_key", "ASCENDING"]]
      vector     = { field = "embedding", dimension = 768 }
    }
    products_nearest_in_language = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder", "ASCENDING"], ["lang", "ASCENDING"]]
      vector     = { field = "embedding", dimension = 768 }
    }
    # Tasks of other agents, the last changed first.
    tasks_by_context = {
      collection = "a2a_tasks"
      fields     = [["context_id", "ASCENDING"], ["updated_at", "DESCENDING"]]
      vector     = null
    }
    tasks_by_state = {
      collection = "a2a_tasks"
      fields     = [["state", "ASCENDING"], ["updated_at", "DESCENDING"]]
      vector     = null
    }
    tasks_by_context_and_state = {
      collection = "a2a_tasks"
      fields     = [["context_id", "ASCENDING"], ["state", "ASCENDING"], ["updated_at", "DESCENDING"]]
      vector     = null
    }
    # The same of one caller.
    tasks_by_owner = {
      collection = "a2a_tasks"
      fields     = [["owner", "ASCENDING"], ["updated_at", "DESCENDING"]]
      vector     = null
    }
    tasks_by_owner_and_context = {
      collection = "a2a_tasks"
      fields     = [["owner", "ASCENDING"], ["context_id", "ASCENDING"], ["updated_at", "DESCENDING"]]
      vector     = null
    }
    tasks_by_owner_and_state = {
      collection = "a2a_tasks"
      fields     = [["owner", "ASCENDING"], ["state", "ASCENDING"], ["updated_at", "DESCENDING"]]
      vector     = null
    }
    tasks_by_owner_context_and_state = {
      collection = "a2a_tasks"
      fields     = [["owner", "ASCENDING"], ["context_id", "ASCENDING"], ["state", "ASCENDING"], ["updated_at", "DESCENDING"]]
      vector     = null
    }
    # Search by text and by picture, of shops of more products than are compared in their index.
    products_by_text = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder", "ASCENDING"]]
      vector     = { field = "search_embedding", dimension = 768 }
    }
    products_by_image = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder", "ASCENDING"]]
      vector     = { field = "image_embedding", dimension = 768 }
    }
    # What follows the changes of a shop, as its index does: what was written, and what was deleted.
    products_changed = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["changed_at", "ASCENDING"]]
      vector     = null
    }
    products_removed = {
      collection = "removals"
      fields     = [["shop", "ASCENDING"], ["at", "ASCENDING"]]
      vector     = null
    }
    # Browsing the catalogue: the newest first, and by the beginning of a name or a brand.
    products_by_age = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["status", "ASCENDING"], ["created_at", "DESCENDING"]]
      vector     = null
    }
    products_by_name = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["name_key", "ASCENDING"]]
      vector     = null
    }
    products_by_brand = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["brand_key", "ASCENDING"]]
      vector     = null
    }
    products_of_brand_by_age = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["brand_key", "ASCENDING"], ["status", "ASCENDING"], ["created_at", "DESCENDING"]]
      vector     = null
    }
    products_of_code_by_age = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["gtin", "ASCENDING"], ["status", "ASCENDING"], ["created_at", "DESCENDING"]]
      vector     = null
    }
    # The confirmations of a product, the latest first.
    reviews_by_product = {
      collection = "reviews"
      fields     = [["confirms", "ASCENDING"], ["at", "DESCENDING"]]
      vector     = null
    }
    # The same for vectors of gemini-embedding-001, which records have in other fields, so that a catalogue
    # can move from one model to the other while services use both.
    products_nearest_b = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder_b", "ASCENDING"]]
      vector     = { field = "embedding_b", dimension = 768 }
    }
    products_nearest_of_brand_b = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder_b", "ASCENDING"], ["brand_key", "ASCENDING"]]
      vector     = { field = "embedding_b", dimension = 768 }
    }
    products_nearest_in_language_b = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder_b", "ASCENDING"], ["lang", "ASCENDING"]]
      vector     = { field = "embedding_b", dimension = 768 }
    }
    products_by_text_b = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder_b", "ASCENDING"]]
      vector     = { field = "search_embedding_b", dimension = 768 }
    }
    products_by_image_b = {
      collection = "products"
      fields     = [["shop", "ASCENDING"], ["embedder_b", "ASCENDING"]]
      vector     = { field = "image_embedding_b", dimension = 768 }
    }
    # Near duplicates within a batch.
    items_alike = {
      collection = "items"
      fields     = []
      vector     = { field = "phash", dimension = 64 }
    }
  }

  # The fields of each collection that have an index of their own. All others have
  # none. The fields of a map are indexed as the map is.
  indexed = {
    work            = ["finished_at", "tags", "queue", "expires"]
    runs            = []
    products        = ["shop", "status", "embedder", "embedder_b", "gtin", "brand_key", "name_key", "alias_keys", "sku_key", "photos"]
    batches         = ["created_at"]
    discoveries     = ["created_at"]
    discovery_marks = []
    reviews         = ["rejecting"]
    items           = ["outcome", "ended_at", "cost_usd", "id", "near"]
    spend           = []
    a2a_tasks       = ["updated_at", "photos"]
    asked           = []
    acts            = []
    removals        = []
    fillings        = []
    turns           = []
    codes           = ["key"]
    groups          = []
    forgotten       = []
    sessions        = []
  }
  # The indexes of agents that are not deployed. Vector indexes are the expensive ones.
  absent = contains(var.agents, "search") ? [] : flatten([for suffix in ["", "_b"] : [for name in ["by_text", "by_image"] : "products_${name}${suffix}"]])
  indexed_fields = merge([for collection, fields in local.indexed : {
    for field in fields : "${collection}.${field}" => { collection = collection, field = field }
  }]...)

  # Those of these fields that are lists, queried for what they contain.
  lists = ["products.alias_keys", "work.tags", "a2a_tasks.photos", "reviews.rejecting"]
  # Those that are queried across all collections of their ID.
  groups = ["items.id"]

  # Fields with a document's expiry. Their values grow with time, and an index of such a
  # field would limit the writes a second.
  expiring = {
    "work.expires_at"        = { collection = "work", field = "expires_at" }
    "runs.expires_at"        = { collection = "runs", field = "expires_at" }
    "spend.expires_at"       = { collection = "spend", field = "expires_at" }
    "batches.expires_at"     = { collection = "batches", field = "expires_at" }
    "discoveries.expires_at" = { collection = "discoveries", field = "expires_at" }
    "items.expires_at"       = { collection = "items", field = "expires_at" }
    "a2a_tasks.expires_at"   = { collection = "a2a_tasks", field = "expires_at" }
    "turns.expires_at"       = { collection = "turns", field = "expires_at" }
    "removals.expires_at"    = { collection = "removals", field = "expires_at" }
    "fillings.expires_at"    = { collection = "fillings", field = "expires_at" }
    "codes.expires_at"       = { collection = "codes", field = "expires_at" }
    "groups.expires_at"      = { collection = "groups", field = "expires_at" }
    "forgotten.expires_at"   = { collection = "forgotten", field = "expires_at" }
    "asked.expires_at"       = { collection = "asked", field = "expires_at" }
    "sessions.expires_at"    = { collection = "sessions", field = "expires_at" }
  }
}

# A destroy without allow_data_loss stops here: Firestore itself refuses, and the database
# stays, also in Terraform's state. ABANDON would only remove it from the state, and the
# next apply would find it and fail.
resource "google_firestore_database" "database" {
  project                           = var.project
  name                              = var.name_prefix
  location_id                       = var.firestore_location == "" ? var.region : var.firestore_location
  type                              = "FIRESTORE_NATIVE"
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"
  delete_protection_state           = var.allow_data_loss ? "DELETE_PROTECTION_DISABLED" : "DELETE_PROTECTION_ENABLED"
  deletion_policy                   = "DELETE"

  dynamic "cmek_config" {
    for_each = var.kms_key == "" ? [] : [var.kms_key]
    content { kms_key_name = cmek_config.value }
  }

  depends_on = [google_project_service.apis, google_kms_crypto_key_iam_member.agents]
}

# Point-in-time recovery goes when the database is deleted; backups stay.
resource "google_firestore_backup_schedule" "daily" {
  count = var.backup_days > 0 ? 1 : 0

  project   = var.project
  database  = google_firestore_database.database.name
  retention = "${var.backup_days * 86400}s"

  daily_recurrence {}
}

resource "google_firestore_index" "indexes" {
  for_each = { for name, index in local.indexes : name => index if !contains(local.absent, name) }

  project     = var.project
  database    = google_firestore_database.database.name
  collection  = each.value.collection
  query_scope = "COLLECTION"

  dynamic "fields" {
    for_each = each.value.fields
    content {
      field_path   = fields.value[0]
      order        = fields.value[1] == "CONTAINS" ? null : fields.value[1]
      array_config = fields.value[1] == "CONTAINS" ? "CONTAINS" : null
    }
  }

  # Firestore puts __name__ before a vector. Without it here, each apply would create the
  # index again.
  dynamic "fields" {
    for_each = each.value.vector == null ? [] : ["__name__"]
    content {
      field_path = fields.value
      order      = "ASCENDING"
    }
  }
  dynamic "fields" {
    for_each = each.value.vector == null ? [] : [each.value.vector]
    content {
      field_path = fields.value.field
      vector_config {
        dimension = fields.value.dimension
        flat {}
      }
    }
  }

  # The provider's 20 minutes are too few to build an index of a million products.
  timeouts {
    create = "6h"
    delete = "1h"
  }

  # The services that run query the old index until the new ones run.
  lifecycle {
    create_before_destroy = true
  }
}

# "*" means every field of the collection without an entry of its own.
resource "google_firestore_field" "unindexed" {
  for_each = local.indexed

  project    = var.project
  database   = google_firestore_database.database.name
  collection = each.key
  field      = "*"

  index_config {}
}

resource "google_firestore_field" "indexed" {
  for_each = local.indexed_fields

  project    = var.project
  database   = google_firestore_database.database.name
  collection = each.value.collection
  field      = each.value.field

  index_config {
    dynamic "indexes" {
      for_each = contains(local.lists, each.key) ? [] : ["ASCENDING", "DESCENDING"]
      content {
        order       = indexes.value
        query_scope = contains(local.groups, each.key) ? "COLLECTION_GROUP" : "COLLECTION"
      }
    }
    dynamic "indexes" {
      for_each = contains(local.lists, each.key) ? ["CONTAINS"] : []
      content {
        array_config = indexes.value
        query_scope  = "COLLECTION"
      }
    }
  }

  timeouts {
    create = "6h"
    update = "6h"
    delete = "1h"
  }
}

resource "google_firestore_field" "expiring" {
  for_each = local.expiring

  project    = var.project
  database   = google_firestore_database.database.name
  collection = each.value.collection
  field      = each.value.field

  ttl_config {}
  index_config {}
}
