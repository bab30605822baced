# The database, its indexes, and what each query of the code needs.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project           = "a-project"
  region            = "europe-west1"
  image             = "europe-west1-docker.pkg.dev/a-project/whatis/cmd@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  learn_from_search = false
  vertex_location   = "global"
}

run "database_is_guarded" {
  command = plan

  assert {
    condition     = google_firestore_database.database.delete_protection_state == "DELETE_PROTECTION_ENABLED"
    error_message = "the database can be deleted"
  }
  assert {
    condition     = google_firestore_database.database.point_in_time_recovery_enablement == "POINT_IN_TIME_RECOVERY_ENABLED"
    error_message = "the database has no point-in-time recovery"
  }
  assert {
    condition     = google_firestore_database.database.type == "FIRESTORE_NATIVE"
    error_message = "the client speaks to native databases alone"
  }
  assert {
    condition     = google_firestore_database.database.location_id == "europe-west1"
    error_message = "without firestore_location the database lies in the region"
  }
}

# A week, as what is forgotten is promised to be gone after that.
run "backups" {
  command = plan

  assert {
    condition     = [for s in google_firestore_backup_schedule.daily : "${s.database} ${s.retention} ${length(s.daily_recurrence)} ${length(s.weekly_recurrence)}"] == ["whatis 604800s 1 0"]
    error_message = "the database is not backed up each day for a week"
  }
}

run "no_backups" {
  command = plan
  variables {
    backup_days = 0
  }

  assert {
    condition     = length(google_firestore_backup_schedule.daily) == 0
    error_message = "there are backups that nobody wants"
  }
}

run "database_as_asked" {
  command = plan
  variables {
    allow_data_loss    = true
    firestore_location = "eur3"
  }

  assert {
    condition     = google_firestore_database.database.delete_protection_state == "DELETE_PROTECTION_DISABLED"
    error_message = "allow_data_loss leaves the database guarded"
  }
  assert {
    condition     = google_firestore_database.database.deletion_policy == "DELETE"
    error_message = "a destroy would leave the database behind, unknown to Terraform"
  }
  assert {
    condition     = google_firestore_database.database.location_id == "eur3"
    error_message = "firestore_location is not used"
  }
}

# internal/analyze/intake/filter.go: newest first, by a term, by one and a source, by one and a doubt, of a
# batch; the soonest to expire first, by a term;
# cache.go: the newest of a key.
# internal/spend: the sum of a day.
# internal/api/a2a/store.go: the last changed first, of a context, in a state, of both.
# internal/session/list.go: the latest first, of an app, of a user of it.
# internal/catalog/review: who has confirmed a product.
run "composite_indexes" {
  command = plan

  assert {
    condition = toset([for i in google_firestore_index.indexes : join(" ", concat([i.collection], [for f in i.fields : "${f.field_path}:${coalesce(f.order, f.array_config)}"])) if !contains(["products", "items"], i.collection)]) == toset([
      "work terms:CONTAINS finished_at:DESCENDING",
      "work terms:CONTAINS source:ASCENDING finished_at:DESCENDING",
      "work terms:CONTAINS doubt:ASCENDING finished_at:DESCENDING",
      "work terms:CONTAINS expires:ASCENDING",
      "work batch:ASCENDING finished_at:DESCENDING",
      "work cache_key:ASCENDING finished_at:DESCENDING",
      "spend day:ASCENDING usd:ASCENDING",
      "a2a_tasks context_id:ASCENDING updated_at:DESCENDING",
      "a2a_tasks state:ASCENDING updated_at:DESCENDING",
      "a2a_tasks context_id:ASCENDING state:ASCENDING updated_at:DESCENDING",
      "a2a_tasks owner:ASCENDING updated_at:DESCENDING",
      "a2a_tasks owner:ASCENDING context_id:ASCENDING updated_at:DESCENDING",
      "a2a_tasks owner:ASCENDING state:ASCENDING updated_at:DESCENDING",
      "a2a_tasks owner:ASCENDING context_id:ASCENDING state:ASCENDING updated_at:DESCENDING",
      "reviews confirms:ASCENDING at:DESCENDING",
      "removals shop:ASCENDING at:ASCENDING",
    ])
    error_message = "an index is missing, or one is there that no query needs"
  }
  assert {
    condition     = alltrue([for i in google_firestore_index.indexes : i.database == "whatis" && i.query_scope == "COLLECTION"])
    error_message = "every index is of collections of this database"
  }
}

# internal/catalog/search.go: by shop and embedder, with the language and without.
run "vector_indexes" {
  command = plan

  # An index with a vector answers no query without one.
  assert {
    condition     = toset([for name, i in google_firestore_index.indexes : name if anytrue([for f in i.fields : length(f.vector_config) > 0])]) == toset(concat(["items_alike"], flatten([for suffix in ["", "_b"] : [for name in ["nearest", "nearest_of_brand", "nearest_in_language", "by_text", "by_image"] : "products_${name}${suffix}"]])))
    error_message = "an index has a vector, or lacks one"
  }
  assert {
    condition = toset([for i in google_firestore_index.indexes : join(" ", [for f in i.fields : f.field_path]) if i.collection == "products"]) == toset(concat(flatten([for second in ["", "_b"] : [
      "shop embedder${second} __name__ embedding${second}",
      "shop embedder${second} lang __name__ embedding${second}",
      "shop embedder${second} brand_key __name__ embedding${second}",
      "shop embedder${second} __name__ search_embedding${second}",
      "shop embedder${second} __name__ image_embedding${second}",
      ]]), [
      "shop status created_at",
      "shop name_key",
      "shop brand_key",
      "shop brand_key status created_at",
      "shop gtin status created_at",
      "shop changed_at",
    ]))
    error_message = "Nearest filters by shop and embedder, of either field for vectors, and first by language, too; NearestBy alike; List by age, also of a brand and of those without a code, by name and by brand; Changes by time"
  }
  assert {
    condition = alltrue(flatten([for i in google_firestore_index.indexes : [
      for f in i.fields : can(regex("embedding", f.field_path)) ? f.vector_config[0].dimension == 768 && length(f.vector_config[0].flat) == 1 && f.order == null : length(f.vector_config) == 0 && f.order == (f.field_path == "created_at" ? "DESCENDING" : "ASCENDING")
    ] if i.collection == "products"]))
    error_message = "catalog.Dimensions is 768, and only the vector is one"
  }
  assert {
    condition     = alltrue([for i in google_firestore_index.indexes : can(regex("embedding", i.fields[length(i.fields) - 1].field_path)) if anytrue([for f in i.fields : can(regex("embedding", f.field_path))])])
    error_message = "Firestore wants the vector last"
  }
  # internal/analyze/batch/near.go: within one batch, whose items are a collection of their own.
  assert {
    condition = [for i in google_firestore_index.indexes : join(" ", [for f in i.fields : f.field_path == "phash" ? "phash:${f.vector_config[0].dimension}" : f.field_path]) if i.collection == "items"] == [
      "__name__ phash:64",
    ]
    error_message = "near duplicates are sought by 64 bits"
  }
}

run "fields" {
  command = plan

  assert {
    condition     = toset([for f in google_firestore_field.unindexed : "${f.collection}.${f.field}"]) == toset(["work.*", "products.*", "batches.*", "discoveries.*", "items.*", "spend.*", "runs.*", "a2a_tasks.*", "asked.*", "acts.*", "removals.*", "fillings.*", "turns.*", "codes.*", "groups.*", "forgotten.*", "sessions.*", "discovery_marks.*", "reviews.*"])
    error_message = "no field is indexed but those that are listed"
  }
  assert {
    condition     = alltrue([for f in google_firestore_field.unindexed : length(f.index_config) == 1 && length(f.index_config[0].indexes) == 0 && length(f.ttl_config) == 0])
    error_message = "an empty index_config is what takes the index away"
  }
  assert {
    condition = toset([for f in google_firestore_field.indexed : "${f.collection}.${f.field}"]) == toset([
      "work.finished_at", "work.tags", "work.queue", "work.expires",
      "products.shop", "products.status", "products.embedder", "products.embedder_b", "products.gtin", "products.brand_key", "products.name_key", "products.alias_keys", "products.sku_key", "products.photos",
      "batches.created_at", "discoveries.created_at", "items.outcome", "items.ended_at", "items.cost_usd", "items.id", "items.near", "a2a_tasks.updated_at", "a2a_tasks.photos", "reviews.rejecting", "codes.key",
    ])
    error_message = "all that is queried by itself needs an index, and nothing else does"
  }
  assert {
    condition     = alltrue([for f in google_firestore_field.indexed : toset([for i in f.index_config[0].indexes : "${i.query_scope} ${coalesce(i.order, "a list")}"]) == toset(["COLLECTION ASCENDING", "COLLECTION DESCENDING"]) if !contains(["products.alias_keys", "work.tags", "a2a_tasks.photos", "reviews.rejecting", "items.id"], "${f.collection}.${f.field}")])
    error_message = "an index of a field goes both ways, within one collection"
  }
  assert {
    condition     = alltrue([for name in ["products.alias_keys", "work.tags", "a2a_tasks.photos", "reviews.rejecting"] : [for i in google_firestore_field.indexed[name].index_config[0].indexes : "${i.query_scope} ${coalesce(i.array_config, "no list")}"] == ["COLLECTION CONTAINS"]])
    error_message = "a list is indexed by what it contains"
  }
  # internal/analyze/batch/forget.go: the items of a result, in whichever batch.
  assert {
    condition     = toset([for i in google_firestore_field.indexed["items.id"].index_config[0].indexes : "${i.query_scope} ${i.order}"]) == toset(["COLLECTION_GROUP ASCENDING", "COLLECTION_GROUP DESCENDING"])
    error_message = "the items of all batches are found by their results"
  }
  assert {
    condition     = toset([for f in google_firestore_field.expiring : "${f.collection}.${f.field}"]) == toset(["work.expires_at", "spend.expires_at", "runs.expires_at", "batches.expires_at", "discoveries.expires_at", "items.expires_at", "a2a_tasks.expires_at", "asked.expires_at", "turns.expires_at", "removals.expires_at", "fillings.expires_at", "codes.expires_at", "groups.expires_at", "forgotten.expires_at", "sessions.expires_at"])
    error_message = "what has an expires_at has to expire"
  }
  assert {
    condition     = alltrue([for f in google_firestore_field.expiring : length(f.ttl_config) == 1 && length(f.index_config) == 1 && length(f.index_config[0].indexes) == 0])
    error_message = "expires_at is for the TTL policy, and not indexed"
  }
  assert {
    condition     = alltrue([for f in concat(values(google_firestore_field.expiring), values(google_firestore_field.unindexed), values(google_firestore_field.indexed)) : f.database == "whatis"])
    error_message = "a field is of another database"
  }
  # The catalogue may have a million products when a version adds an index.
  assert {
    condition     = alltrue([for i in google_firestore_index.indexes : try(i.timeouts.create, "") == "6h"]) && alltrue([for f in google_firestore_field.indexed : try("${f.timeouts.create} ${f.timeouts.update}", "") == "6h 6h"])
    error_message = "an apply ends before an index of a large catalogue is built"
  }
}
