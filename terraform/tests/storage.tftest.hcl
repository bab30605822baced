# The buckets: closed, and nothing in them lost by accident.

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

run "buckets_are_closed" {
  command = plan

  assert {
    condition     = alltrue([for b in [google_storage_bucket.uploads, google_storage_bucket.results, google_storage_bucket.indexes] : b.uniform_bucket_level_access && b.public_access_prevention == "enforced"])
    error_message = "a bucket can be opened to the public"
  }
  assert {
    condition     = alltrue([for b in [google_storage_bucket.uploads, google_storage_bucket.results] : b.force_destroy == false])
    error_message = "a destroy would delete photos or results"
  }
  assert {
    condition     = google_storage_bucket.uploads.name == "a-project-whatis-uploads" && google_storage_bucket.results.name == "a-project-whatis-results" && google_storage_bucket.indexes.name == "a-project-whatis-indexes"
    error_message = "the buckets are not named by project and prefix"
  }
  assert {
    condition     = alltrue([for b in [google_storage_bucket.uploads, google_storage_bucket.results, google_storage_bucket.indexes] : lower(b.location) == "europe-west1"])
    error_message = "photos or results lie in another place than was said"
  }
  assert {
    condition     = alltrue([for b in [google_storage_bucket.uploads, google_storage_bucket.results, google_storage_bucket.indexes] : length(b.encryption) == 0 && length(b.cors) == 0 && length(b.website) == 0 && length(b.logging) == 0])
    error_message = "a bucket is shown or encrypted unasked"
  }
}

run "what_is_deleted_is_gone_and_nothing_is_unasked" {
  command = plan

  assert {
    condition     = google_storage_bucket.results.versioning[0].enabled == false
    error_message = "old results would stay as versions"
  }
  assert {
    condition     = google_storage_bucket.results.soft_delete_policy[0].retention_duration_seconds == 0
    error_message = "deleted results would stay for a week"
  }
  assert {
    condition     = length(google_storage_bucket.uploads.soft_delete_policy) == 0
    error_message = "photos keep Cloud Storage's week of grace"
  }
  assert {
    condition     = [for r in google_storage_bucket.uploads.lifecycle_rule : "${one(r.action).type} ${one(r.condition).age}"] == ["AbortIncompleteMultipartUpload 1"]
    error_message = "without upload_days only unfinished uploads are cleared away, and they are"
  }
  assert {
    condition = toset([for r in google_storage_bucket.results.lifecycle_rule : "${one(r.action).type} ${one(r.condition).age} ${join(",", coalesce(one(r.condition).matches_prefix, []))}"]) == toset([
      "AbortIncompleteMultipartUpload 1 ", "Delete 7 forecasts/",
    ])
    error_message = "without result_days only unfinished uploads and the forecasts of a week ago are cleared away, and they are"
  }
}

run "deleted_as_asked" {
  command = plan
  variables {
    upload_days     = 30
    result_days     = 90
    allow_data_loss = true
  }

  assert {
    condition     = toset([for r in google_storage_bucket.uploads.lifecycle_rule : "${one(r.action).type} ${one(r.condition).age}"]) == toset(["Delete 30", "AbortIncompleteMultipartUpload 1"])
    error_message = "upload_days deletes nothing, or more than it says"
  }
  assert {
    condition     = toset([for r in google_storage_bucket.results.lifecycle_rule : "${one(r.action).type} ${one(r.condition).age}"]) == toset(["Delete 90", "Delete 7", "AbortIncompleteMultipartUpload 1"])
    error_message = "result_days deletes nothing, or more than it says"
  }
  assert {
    condition     = google_storage_bucket.uploads.force_destroy && google_storage_bucket.results.force_destroy
    error_message = "allow_data_loss does not let the buckets be destroyed"
  }
}

# A result that came back as a photo would be analysed for ever.
run "uploads_are_never_the_results" {
  command = apply

  assert {
    condition     = google_storage_bucket.uploads.name != google_storage_bucket.results.name
    error_message = "photos and results share a bucket"
  }
  assert {
    condition     = google_storage_notification.uploads.bucket == google_storage_bucket.uploads.name
    error_message = "another bucket than that of the photos notifies"
  }
  assert {
    condition     = google_storage_notification.uploads.topic == google_pubsub_topic.queues["uploads"].id
    error_message = "the notification goes to another topic than Upload's"
  }
  assert {
    condition     = google_storage_notification.uploads.event_types == toset(["OBJECT_FINALIZE"]) && google_storage_notification.uploads.payload_format == "JSON_API_V1"
    error_message = "Upload reads the object resource of finalized objects"
  }
  assert {
    condition     = google_storage_notification.uploads.object_name_prefix == null
    error_message = "photos outside a prefix are never told of"
  }
  assert {
    condition     = length(regexall("resource \"google_storage_notification\"", join("\n", [for f in fileset(path.module, "*.tf") : file("${path.module}/${f}")]))) == 1
    error_message = "one bucket notifies, and only one"
  }
}
