# A file of products that is imported on a schedule.

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

run "off" {
  command = plan

  assert {
    condition     = length(google_cloud_scheduler_job.feed) == 0 && !contains(keys(google_project_service.apis), "cloudscheduler.googleapis.com")
    error_message = "a feed is imported that nobody named"
  }
}

run "scheduled" {
  command = apply
  variables {
    feed = { address = "https://shop.example/feed.xml?key=secret" }
  }

  assert {
    condition     = [for j in google_cloud_scheduler_job.feed : "${j.name} ${j.project} ${j.region} ${j.schedule} ${j.time_zone} ${j.description}"] == ["whatis-feed a-project europe-west1 17 3 * * * Etc/UTC Imports the products of a feed into the catalogue default"]
    error_message = "the feed is imported at another time or place, or its description tells a secret"
  }
  assert {
    condition     = [for j in google_cloud_scheduler_job.feed : j.pubsub_target[0].topic_name == google_pubsub_topic.queues["long-tasks"].id && length(j.http_target) + length(j.app_engine_http_target) == 0] == [true]
    error_message = "the task does not come to Task"
  }
  # internal/app's importPayload reads it.
  assert {
    condition     = [for j in google_cloud_scheduler_job.feed : jsondecode(base64decode(j.pubsub_target[0].data))] == [{ agent = "catalog", kind = "import", payload = { uri = "https://shop.example/feed.xml?key=secret", pictures = false } }]
    error_message = "the task is none that imports the feed"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "cloudscheduler.googleapis.com")
    error_message = "Cloud Scheduler is not enabled"
  }
}

run "as_asked" {
  command = apply
  variables {
    feed = { address = "https://shop.example/feed.xml", schedule = "0 */6 * * *", time_zone = "Asia/Seoul", pictures = true }
  }

  assert {
    condition     = [for j in google_cloud_scheduler_job.feed : "${j.schedule} ${j.time_zone} ${jsondecode(base64decode(j.pubsub_target[0].data)).payload.pictures}"] == ["0 */6 * * * Asia/Seoul true"]
    error_message = "the feed is imported at another time, or without its pictures"
  }
}

run "refused" {
  command = plan
  variables {
    feed = { address = "http://shop.example/feed.xml" }
  }
  expect_failures = [var.feed]
}
